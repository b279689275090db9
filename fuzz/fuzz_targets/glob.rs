//! Searches for bytes that break a property of globs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| garth_fuzz::glob::check(data));
