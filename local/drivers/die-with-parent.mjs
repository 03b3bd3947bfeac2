// Preloaded into Node children of the local host: ends the process when its standard input ends, which happens when the
// host is gone, even by SIGKILL. An orphan would write into stores that the next run is using.
process.stdin
  .on('end', () => process.exit(143))
  .on('error', () => process.exit(143))
  .resume();
process.stdin.unref?.();
