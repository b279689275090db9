//! Searches for bytes that break a property of redaction.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| garth_fuzz::redact::check(data));
