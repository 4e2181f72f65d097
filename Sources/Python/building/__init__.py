"""What `pip install` runs to make the binding from the headers and the library."""
