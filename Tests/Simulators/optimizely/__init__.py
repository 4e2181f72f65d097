"""A strict simulator of Optimizely's services: datafiles, events, the data platform and predictions."""

from .sample import sample_datafile
from .simulator import OptimizelySimulator

__all__ = ["OptimizelySimulator", "sample_datafile"]
