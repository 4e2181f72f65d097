"""A strict simulator of the Unleash service: server and Edge, frontend and backend API."""

from .simulator import UnleashSimulator

__all__ = ["UnleashSimulator"]
