//! Functions of plain numbers that give the same bits in every build, and seeded numbers for tests.

pub mod exp;
pub mod percentile;
pub mod random;
