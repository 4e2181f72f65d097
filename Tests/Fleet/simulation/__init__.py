"""A fleet of up to 100,000 processes, by the library's own rules of pace, without the library."""
