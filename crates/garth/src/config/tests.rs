//! The configuration: every key, every fault with its line.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use super::{file, keys, *};
use crate::serve::settings::{Level, LogFormat, MetricsFor};

fn read(text: &str) -> (Settings, Vec<String>) {
    let mut settings = Settings::usual();
    let faults = file::set(&mut settings, Path::new("/etc/garth.toml"), text);
    (settings, faults.iter().map(ToString::to_string).collect())
}

#[test]
fn a_file_sets_what_it_names_and_nothing_else() {
    let (settings, faults) = read(
        r#"
        data = "data"
        listen = "[::1]:99"
        hosts = ["box.example"]
        frame_bytes = "1MiB"
        [tls]
        certificate = "cert.pem"
        key = "/keys/key.pem"
        [audit]
        keep_for = "forever"
        [log]
        level = "debug"
        format = "json"
        [metrics]
        for = "operator"
        [limits.people.workspace]
        watches = 7
        bytes_per_minute = "2GB"
        [[redaction.custom_patterns]]
        name = "BADGE"
        regex = "badge-(\\d+)"
        "#,
    );
    assert_eq!(faults, [""; 0]);
    assert_eq!(settings.data, Path::new("/etc/data"), "seen from the file's directory");
    assert_eq!(settings.key.as_deref(), Some(Path::new("/keys/key.pem")));
    assert_eq!((settings.listen.port(), settings.frame_bytes), (99, 1 << 20));
    assert_eq!(settings.audit.retention.most_age, None);
    assert_eq!((settings.log.level, settings.log.format), (Level::DEBUG, LogFormat::Json));
    assert_eq!(settings.metrics, MetricsFor::Operator);
    assert_eq!(settings.limits.people.workspace.watches, 7);
    assert_eq!(settings.limits.people.workspace.bytes_per_minute, 2_000_000_000);
    assert_eq!(settings.redaction.custom_patterns[0].name, "BADGE");
    let usual = garth_gateway::limits::Config::standard();
    assert_eq!(settings.limits.programs, usual.programs);
    assert_eq!(settings.limits.people.caller, usual.people.caller);
}

#[test]
fn redaction_is_set_by_the_names_of_the_wire_too() {
    let (settings, faults) = read(
        "[redaction]\ndefaultBehavior = \"block\"\nexcludePaths = [\"a\"]\nexcludePatterns = [\"B\"]\n\
         customPatterns = [{ name = \"BADGE\", regex = \"badge-\" }]\n",
    );
    assert_eq!(faults, [""; 0]);
    let redaction = settings.redaction;
    assert_eq!(redaction.default_behavior, garth_gateway::Behavior::Block);
    assert_eq!((redaction.exclude_paths[0].as_str(), redaction.exclude_patterns.len()), ("a", 1));
    assert_eq!(redaction.custom_patterns[0].name, "BADGE");
}

#[test]
fn everything_that_is_wrong_is_said_with_its_line() {
    let (_, faults) = read(
        "lisetn = \"127.0.0.1:1\"\nlisten = \"here\"\nlog = 3\n\n[limits]\nin_flight = 0\nlevel = 1\n\
         [limits.programs.caller]\nwatch = 3\nprocesses = \"many\"\n[nonsense]\na = 1\n",
    );
    let expected = [
        "/etc/garth.toml:1: there is no key lisetn; listen may be meant",
        "/etc/garth.toml:2: listen must be an address with a port, such as 127.0.0.1:7717, and is \
         \"here\"; it is the address and the port to listen on",
        "/etc/garth.toml:3: log must be a section",
        "/etc/garth.toml:6: limits.in_flight must be a number from 1 on, and is 0; it is how many \
         operations may be under way, of all together",
        "/etc/garth.toml:7: there is no key limits.level; log.level may be meant",
        "/etc/garth.toml:9: there is no key limits.programs.caller.watch; \
         limits.programs.caller.watches may be meant",
        "/etc/garth.toml:10: limits.programs.caller.processes must be a number from 1 on, and is of \
         the type string; it is how many processes may run",
        "/etc/garth.toml:11: there is no key nonsense",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn a_file_that_is_no_toml_says_where() {
    let (_, faults) = read("data = \"x\"\nlisten = \n");
    assert!(faults[0].starts_with("/etc/garth.toml:2: this is no TOML: "), "{faults:?}");
}

#[test]
fn every_key_can_be_set_by_the_environment_or_says_why_not() {
    let mut settings = Settings::usual();
    let variables: BTreeMap<_, _> = [
        ("GARTH_LISTEN", "127.0.0.1:5"),
        ("GARTH_HOSTS", "a.example, b.example"),
        ("GARTH_LIMITS_PROGRAMS_CALLER_WATCHES", "3"),
        ("GARTH_INSECURE_LISTEN", "yes"),
        ("GARTH_LOG_LEVEL", "loud"),
        ("GARTH_REDACTION_CUSTOM_PATTERNS", "x"),
        ("GARTH_DATA", ""),
    ]
    .into_iter()
    .collect();
    let faults = keys::set_by_environment(&mut settings, |name| {
        variables.get(name).map(|value| OsString::from(*value))
    });
    assert_eq!((settings.listen.port(), settings.hosts.len()), (5, 2));
    assert_eq!(settings.limits.programs.caller.watches, 3);
    assert!(settings.insecure_listen && settings.data.as_os_str().is_empty());
    let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
    assert_eq!(places, ["GARTH_REDACTION_CUSTOM_PATTERNS", "GARTH_LOG_LEVEL"]);
}

#[test]
fn what_containers_are_is_set_by_file_environment_and_flags() {
    let (mut settings, faults) = read(
        r#"
        provider = "podman"
        [containers]
        root = "debian"
        user = "7:8"
        memory = "1GiB"
        cpu_percent = 150
        ulimits = ["nofile=1024:4096", "nproc=9"]
        [podman]
        answer_within = "5s"
        [gvisor]
        runsc = "./runsc"
        platform = "ptrace"
        flags = ["--ignore-cgroups"]
        "#,
    );
    assert_eq!(faults, [""; 0]);
    assert_eq!(settings.provider, "podman");
    let containers = &settings.containers;
    assert_eq!(containers.root.as_deref(), Some(Path::new("/etc/debian")));
    assert_eq!(containers.user.map(|user| (user.uid, user.gid)), Some((7, 8)));
    let limits = &containers.limits;
    assert_eq!((limits.memory, limits.cpu), (Some(1 << 30), Some(1_500)));
    let ulimits: Vec<_> = containers.ulimits.iter().map(|one| (one.soft, one.hard)).collect();
    assert_eq!(ulimits, [(1_024, 4_096), (9, 9)]);
    assert_eq!(containers.gvisor.runsc, Path::new("/etc/runsc"));
    assert_eq!(containers.gvisor.platform.map(|one| one.name()), Some("ptrace"));
    let set = |settings: &mut Settings, flag: &str| {
        let faults = set_by_flags(settings, &[flag.to_owned()]);
        faults.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(set(&mut settings, "containers.memory=2GiB"), [""; 0]);
    assert_eq!(set(&mut settings, "gvisor.runsc=runsc"), [""; 0]);
    assert_eq!(settings.containers.limits.memory, Some(2 << 30));
    assert_eq!(settings.containers.gvisor.runsc, Path::new("runsc"));
    for (flag, fault) in [
        (
            "containers.memroy=1",
            "there is no key containers.memroy; containers.memory may be meant",
        ),
        ("containers.user=me", "containers.user must be two numbers such as 1000:1000"),
        ("containers.ulimits=nofile", "must hold texts such as nofile=1024:4096"),
        ("gvisor.platform=fast", "must be one of"),
        ("podman.answer_within=forever", "must have an end"),
        ("containers.image=", "must not be empty"),
        ("nothing", "this must be KEY=VALUE"),
    ] {
        let faults = set(&mut settings, flag).join("; ");
        assert!(faults.contains(fault), "{flag}: {faults}");
    }
}

#[test]
fn credentials_of_git_say_where_they_are_and_not_what() {
    use crate::serve::git::{Kind, Source};
    let (settings, faults) = read(
        r#"
        [git]
        bot = "Bot <bot@example.com>"
        branches = ["agent/*"]
        workflows = "refuse"
        max_bytes = "1GiB"
        timeout = "2m"
        [[git.credentials]]
        name = "app"
        host = "github.com"
        kind = "github-app"
        client_id = "Iv23"
        private_key_file = "app.pem"
        [[git.credentials]]
        name = "lab"
        host = "gitlab.example"
        kind = "gitlab"
        token_env = "LAB"
        "#,
    );
    assert_eq!(faults, [""; 0]);
    let git = &settings.git;
    let app = Kind::App {
        client_id: "Iv23".to_owned(),
        key: "/etc/app.pem".into(),
        api: "https://api.github.com".to_owned(),
    };
    assert_eq!(git.credentials[0].kind, app, "seen from the file's directory");
    let token = Source::Variable("LAB".to_owned());
    let lab = Kind::Token { flavour: garth_broker::Flavour::Gitlab, token };
    assert_eq!(git.credentials[1].kind, lab);
    assert_eq!((git.limits.bytes, git.limits.time.as_secs()), (1 << 30, 120));
    assert_eq!(git.workflows, garth_broker::Workflows::Refuse);
    // The file is not there: it is said with the credential's name.
    let unread = git.read().unwrap_err();
    assert!(unread.message().starts_with("git.credentials: \"app\": "), "{unread:?}");
    for (text, fault) in [
        ("credentials = [{ name = \"a\" }]", "has a credential without a host"),
        ("credentials = [{ nmae = \"a\" }]", "and has \"nmae\""),
        ("credentials = [{ name = \"a\", host = \"h\", kind = \"ssh\" }]", "whose kind is none of"),
        (
            "credentials = [{ name = \"a\", host = \"h\", kind = \"token\" }]",
            "with neither one token_file nor one token_env",
        ),
        ("bot = \"Bot\"", "must be Name <address>"),
        ("timeout = \"2h\"", "must be at most 1h"),
    ] {
        let (_, faults) = read(&format!("[git]\n{text}\n"));
        assert!(faults.join(";").contains(fault), "{text}: {faults:?}");
    }
}

#[test]
fn the_example_has_every_key_with_its_usual_value() {
    let text = include_str!("../../../../docs/garth.toml");
    // What is commented out is an example too: one sign before a key, a space before prose.
    let whole: Vec<_> = text
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
        .collect();
    let whole = whole.join("\n");
    let (_, faults) = read(&whole);
    assert_eq!(faults, [""; 0]);
    let (settings, faults) = read(text);
    assert_eq!(faults, [""; 0]);
    let usual = Settings::usual();
    assert_eq!(settings.limits, usual.limits);
    assert_eq!(settings.audit.retention, usual.audit.retention);
    assert_eq!(
        (settings.connections, settings.frame_bytes),
        (usual.connections, usual.frame_bytes)
    );
    let table = toml::de::DeTable::parse(&whole).unwrap();
    for key in keys::all() {
        let mut table = table.get_ref();
        let mut found = false;
        for part in key.name.split('.') {
            let Some((_, value)) = table.iter().find(|(name, _)| name.get_ref() == part) else {
                panic!("{} is missing in docs/garth.toml", key.name);
            };
            found = true;
            if let Some(below) = value.get_ref().as_table() {
                table = below;
            }
        }
        assert!(found);
    }
}

#[test]
#[cfg(not(feature = "otlp"))]
fn a_program_that_cannot_send_spans_says_how_to_get_one_that_can() {
    let (settings, faults) = read("[telemetry]\notlp = \"off\"\n");
    assert_eq!((settings.telemetry.otlp, faults), (None, Vec::new()));
    let (_, faults) = read("[telemetry]\notlp = \"http://127.0.0.1:4318\"\n");
    let expected = "/etc/garth.toml:2: telemetry.otlp needs a garth that was built with it: \
                    cargo build --release --features otlp; it is where a collector of \
                    OpenTelemetry takes spans over HTTP, or off";
    assert_eq!(faults, [expected]);
    // These are for every program of the machine, and do not mean one that cannot.
    let mut settings = Settings::usual();
    let all = |name: &str| name.starts_with("OTEL_").then(|| "http://a:4318".into());
    assert_eq!(keys::set_by_environment(&mut settings, all), []);
    assert_eq!(settings.telemetry.otlp, None);
}
