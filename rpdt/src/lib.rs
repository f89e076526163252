//! placeholder while the workspace is laid out
