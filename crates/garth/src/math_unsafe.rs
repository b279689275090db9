//! The two functions of the C library's part for mathematics that the program needs.
//!
//! One is the runtime's, which smooths a number by it, the other SQLite's. With both here,
//! that part is not looked for, mapped and bound each time the program starts.

#![allow(unsafe_code, reason = "they have the names that are known to C")]

// SAFETY: name, types and meaning are those of the C standard.
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn log(number: f64) -> f64 {
    libm::log(number)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_called_by_those_names_is_right() {
        // The standard library calls both by their names.
        assert!((std::hint::black_box(2.0_f64).powf(10.5) - 1_448.154_687_9).abs() < 1e-6);
        assert!((std::hint::black_box(10.0_f64).ln() - std::f64::consts::LN_10).abs() < 1e-12);
    }
}
