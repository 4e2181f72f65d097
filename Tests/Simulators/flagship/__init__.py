"""A strict simulator of AB Tasty Flagship's services: decisions, bucketing files, hits, activations, reports."""

from .sample import sample_bucketing
from .simulator import FlagshipSimulator

__all__ = ["FlagshipSimulator", "sample_bucketing"]
