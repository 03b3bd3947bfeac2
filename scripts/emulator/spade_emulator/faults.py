"""Errors of emulated services."""


class Fault(Exception):
    """A service error: its AWS name and a message."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def missing(what: str) -> Fault:
    """How SageMaker says that a name is not known."""
    return Fault("ValidationException", f'Could not find {what}; it does not exist')
