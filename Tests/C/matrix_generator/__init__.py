"""What generate_matrix.py writes the bad-argument matrix with."""
