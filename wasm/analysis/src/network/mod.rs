//! Networks beside the atlas: what they are given, and how their answers join the labels.

pub mod any_contrast;
pub mod fusion;
pub mod half_box;
pub mod network_input;
pub mod region_agreement;
pub mod second_opinion;
