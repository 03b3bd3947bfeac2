"""An AWS account on this machine for the end-to-end checks: MiniStack and what our application needs beside it.

`python -m spade_emulator` is `python -m ministack` with, added to version 1.5.33 (private functions are replaced, so the
version is pinned): three CloudFormation types, SageMaker training jobs and endpoints, Fargate tasks as local processes
under their task role, and the real names of function errors.

Environment beside MiniStack's own:
  SPADE_EMU_TASK      what stands for the entry point of the rollout image (shell words); run with the container's variables
  SPADE_EMU_FILES     files of the image on this machine: `inside=outside`, separated like PATH
  SPADE_EMU_TRAIN     command of a training job; the job's /opt/ml folder is its last argument
  SPADE_EMU_POLICY    base URL of the policy server that stands for the container of every endpoint (http://host:port)
  SPADE_EMU_FOLDER    scratch folder for job roots and weights
  SPADE_EMU_SPOT_SHORT  how many jobs, the first ones, get no capacity on FARGATE_SPOT however often they ask
"""
