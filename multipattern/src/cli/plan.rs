//! `multipattern plan`.

use std::io::{self, Write};
use std::process::ExitCode;

use multipattern::{PatternSet, Plan};

use super::arguments::{self, PlanFormat};
use super::{Reported, patterns, report};

pub(super) fn main(arguments: &arguments::Plan) -> Result<ExitCode, Reported> {
    let mut set = PatternSet::new();
    patterns::read(&arguments.patterns.patterns, &mut set)?;
    let methods = arguments.method.methods();
    let [method, ..] = methods[..] else { return Ok(ExitCode::SUCCESS) };
    let one = if methods.len() == 1 { method } else { multipattern::Method::Proposed };
    let text = if arguments.dot {
        Plan::new(one, &set).to_dot()
    } else if let Some(id) = &arguments.explain {
        let Some(number) = set.find(id) else {
            report::message(
                "error",
                &format!("there is no pattern `{}`", report::shown(id)),
                None,
                None,
            );
            return Err(Reported);
        };
        let plan = Plan::new(one, &set);
        plan.explain(number).map(|derivation| format!("{derivation}\n")).unwrap_or_default()
    } else {
        let summaries: Vec<_> =
            methods.iter().map(|&method| Plan::new(method, &set).summary()).collect();
        let mut text = String::new();
        if arguments.format == PlanFormat::Text {
            text.push_str("method      states   edges  shared   rules            cost\n");
        }
        for summary in summaries {
            let name = summary.method.name();
            let (states, edges) = (summary.states, summary.edges);
            let (shared, rules, cost) = (summary.shared_nodes, summary.rules, summary.cost);
            text.push_str(&match arguments.format {
                PlanFormat::Text => {
                    format!("{name:9} {states:8} {edges:7} {shared:7} {rules:7} {cost:15.1}\n")
                }
                PlanFormat::Json => {
                    // Members in this order; no name of a method needs an escape.
                    let cost = serde_json::Value::from(cost);
                    format!(
                        "{{\"method\":\"{name}\",\"states\":{states},\"edges\":{edges},\
                         \"shared_nodes\":{shared},\"rules\":{rules},\"cost\":{cost}}}\n"
                    )
                }
            });
        }
        text
    };
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            report::unwritten(&error);
            Err(Reported)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
