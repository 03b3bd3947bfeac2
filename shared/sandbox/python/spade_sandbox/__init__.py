"""The inside of the sandbox: a fork server and the harness that runs one generated program per process.

Everything here trusts its caller (the TypeScript supervisor) until generated code has run in a process; from then on
nothing that process says is believed without a second check on the other side.
"""
