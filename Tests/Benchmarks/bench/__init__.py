"""Hoist's benchmark: workload, peers, runner and report. Started by ../run."""
