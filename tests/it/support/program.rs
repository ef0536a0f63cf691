//! The real program over pipes.
