"""A strict simulator of Kameleoon's services: configurations, real-time events, tracking, data of visitors, tokens."""

from .sample import sample_configuration
from .simulator import KameleoonSimulator

__all__ = ["KameleoonSimulator", "sample_configuration"]
