internal import CHoist
