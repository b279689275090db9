//! Searches for bytes that break a property of edits.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| garth_fuzz::edit::check(data));
