//! Searches for bytes that break a property of paths.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| garth_fuzz::path::check(data));
