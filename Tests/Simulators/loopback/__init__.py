"""What every service simulator shares: HTTP on loopback, a journal, faults and a control port.

Nothing in here knows a vendor. Standard library only.
"""
