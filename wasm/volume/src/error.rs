use std::fmt;

/// Every code this workspace can report; each is a key of `ERRORS` in `model/errors.ts`.
pub const CODES: [&str; 3] = [AFFINE_SINGULAR, UNSUPPORTED_INPUT, INTERNAL];

const AFFINE_SINGULAR: &str = "volume.affine_singular";
const UNSUPPORTED_INPUT: &str = "engine.unsupported_input";
const INTERNAL: &str = "internal";

/// A failure with a dotted code, a short machine-readable reason and a message for the log. No patient data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: &'static str,
    reason: &'static str,
    message: String,
}

impl Error {
    /// The affine has no inverse.
    pub fn affine_singular(determinant: f64) -> Self {
        let message = format!("Cannot invert affine: determinant is {determinant}");
        Self { code: AFFINE_SINGULAR, reason: "affine", message }
    }

    /// The volume cannot be analysed; `reason` is one of the short words the client has a text for.
    pub fn unsupported(reason: &'static str, message: impl Into<String>) -> Self {
        Self { code: UNSUPPORTED_INPUT, reason, message: message.into() }
    }

    /// The caller broke the order of calls or passed arrays that do not fit; a defect, not an input's fault.
    pub fn misuse(message: impl Into<String>) -> Self {
        Self { code: INTERNAL, reason: "misuse", message: message.into() }
    }

    pub fn code(&self) -> &'static str {
        self.code
    }

    pub fn reason(&self) -> &'static str {
        self.reason
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
