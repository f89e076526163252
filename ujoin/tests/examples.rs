//! The examples do what they say: each asserts what it finds.

#[path = "../examples/cloned_plates.rs"]
mod cloned_plates;

#[test]
fn cloned_plates() {
    cloned_plates::main().unwrap();
}

#[cfg(feature = "cli")]
#[path = "../examples/csv_readings.rs"]
mod csv_readings;

#[cfg(feature = "cli")]
#[test]
fn csv_readings() {
    csv_readings::main().unwrap();
}

#[path = "../examples/engines_agree.rs"]
mod engines_agree;

#[test]
fn engines_agree() {
    engines_agree::main().unwrap();
}

#[path = "../examples/first_alarm.rs"]
mod first_alarm;

#[test]
fn first_alarm() {
    first_alarm::main().unwrap();
}

#[path = "../examples/late_readings.rs"]
mod late_readings;

#[test]
fn late_readings() {
    late_readings::main().unwrap();
}

#[path = "../examples/roaming_cards.rs"]
mod roaming_cards;

#[test]
fn roaming_cards() {
    roaming_cards::main().unwrap();
}

#[path = "../examples/stop_and_resume.rs"]
mod stop_and_resume;

#[test]
fn stop_and_resume() {
    stop_and_resume::main().unwrap();
}

#[path = "../examples/tight_memory.rs"]
mod tight_memory;

#[test]
fn tight_memory() {
    tight_memory::main().unwrap();
}

#[path = "../examples/warehouse_tags.rs"]
mod warehouse_tags;

#[test]
fn warehouse_tags() {
    warehouse_tags::main().unwrap();
}
