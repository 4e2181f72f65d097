"""Each service's vectors in the public API's words."""
