//! The configuration of a gateway: found, layered, checked.

use serde_json::Value;

use crate::{
    scene::{command, garth},
    serving::Data,
};

#[test]
fn everything_that_is_wrong_is_explained_with_its_line() {
    let data = Data::new();
    data.put("garth.toml", "lisetn = \"127.0.0.1:1\"\n\n[log]\nlevel = \"loud\"\n");
    let run = data.run(&["config", "check"]);
    assert_eq!(run.code, 1, "{run:?}");
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(
        lines[0].ends_with("garth.toml:1: there is no key lisetn; listen may be meant"),
        "{run:?}"
    );
    assert!(lines[1].contains("garth.toml:4: log.level must be one of \"off\", "), "{run:?}");
    let run = data.run(&["config", "check", "--json"]);
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(body["payload"]["faults"].as_array().unwrap().len(), 2, "{body}");
    let run = data.run(&["serve"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("lisetn") && run.stderr.contains("and 1 more"), "{run:?}");
    assert!(run.stderr.contains("hint: garth config check"), "{run:?}");
}

#[test]
fn what_is_sound_is_said_to_be() {
    let data = Data::new();
    assert!(data.done(&["config", "check"]).contains("there is no configuration file"));
    data.put("garth.toml", "listen = \"127.0.0.1:1\"\n");
    assert!(data.done(&["config", "check"]).ends_with("garth.toml is sound\n"));
    let run = garth(&["config", "check", "--config", "/nonexistent/garth.toml"], "");
    assert!(run.code == 1 && run.stdout.contains("the file cannot be read"), "{run:?}");
}

#[test]
fn what_can_only_be_judged_together_is_judged() {
    let data = Data::new();
    for (text, what) in [
        ("listen = \"0.0.0.0:1\"", "can be reached by others, and there is no TLS"),
        ("[tls]\ncertificate = \"c.pem\"", "tls.certificate needs tls.key"),
        ("[redaction]\nexclude_paths = [\"[a\"]", "pattern"),
    ] {
        data.put("garth.toml", text);
        let run = data.run(&["config", "check"]);
        assert!(run.code == 1 && run.stdout.contains(what), "{text} {run:?}");
        let run = data.run(&["serve"]);
        assert!(run.code == 2 && run.stderr.contains(what), "{text} {run:?}");
    }
}

#[test]
fn the_environment_wins_over_the_file_and_flags_over_both() {
    let data = Data::new();
    data.put("garth.toml", "listen = \"127.0.0.1:1\"\n[log]\nlevel = \"nonsense\"\n");
    let check = |variables: &[(&str, &str)]| {
        let mut command = command(&["config", "check", "--data", data.text()]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = check(&[("GARTH_LISTEN", "nonsense")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("GARTH_LISTEN: listen must be an address"), "{said}");
    data.put("garth.toml", "listen = \"0.0.0.0:1\"\n");
    let (code, said) = check(&[("GARTH_LISTEN", "127.0.0.1:1")]);
    assert_eq!(code, Some(0), "{said}");
    // The port of the file is none that can be listened on; the flag's is.
    let served = data.serve(&[]);
    assert!(served.url.starts_with("http://127.0.0.1:"), "{}", served.url);
}
