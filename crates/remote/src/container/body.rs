//! A container in the words of an engine's interface.

use std::{collections::HashMap, path::Path};

use bollard::models::{
    ContainerCreateBody, HostConfig, Mount, MountType, ResourcesUlimits, RestartPolicy,
    RestartPolicyNameEnum,
};
use garth_contract::{Access, ProcessId, Result, Seat};

use super::{
    Container, Files, Limits, Network, Place, User,
    engine::{LABEL_OWNER, LABEL_PRINT, LABEL_WORKSPACE},
    facts::{Facts, Kind, Rights},
    identity, refuse,
    wanted::{GUEST, HOME, HOST_NAME, MEETING, SPOOL, variables},
};

/// What the engine is told to make.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` for paths that cannot be said in its interface.
pub(super) fn body(
    container: &Container,
    facts: &Facts,
    made: &Made<'_>,
) -> Result<ContainerCreateBody> {
    let Made { user, print, first, image, .. } = *made;
    let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let inside = seen_inside(facts, user);
    Ok(ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(Vec::new()),
        cmd: Some(container.command(first.0)),
        env: Some(
            variables(container.seat).map(|(name, value)| format!("{name}={value}")).to_vec(),
        ),
        user: Some(format!("{}:{}", inside.uid, inside.gid)),
        working_dir: Some("/".into()),
        hostname: Some(HOST_NAME.into()),
        labels: Some(HashMap::from([
            label(LABEL_OWNER, &container.owner),
            label(LABEL_WORKSPACE, &container.workspace),
            label(LABEL_PRINT, print),
        ])),
        // The guest has nothing to save; whoever stops a container means it.
        stop_signal: Some("SIGKILL".into()),
        stop_timeout: Some(0),
        host_config: Some(host_config(container, facts, made)?),
        ..ContainerCreateBody::default()
    })
}

/// What is known once everything for the container has been made.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) user: User,
    pub(super) print: &'a str,
    pub(super) first: ProcessId,
    pub(super) image: &'a str,
    pub(super) place: &'a Place,
}

/// Who the owner of the workspace is to whoever is inside.
///
/// In an engine of the machine's superuser, and in a podman that keeps ids, the
/// same. In a Docker of one user that user is the superuser inside.
pub(super) fn seen_inside(facts: &Facts, user: User) -> User {
    match (facts.rights, facts.kind) {
        (Rights::Root, _) | (Rights::Rootless, Kind::Podman) => user,
        (Rights::Rootless, Kind::Docker) => User { uid: 0, gid: 0 },
    }
}

fn host_config(container: &Container, facts: &Facts, made: &Made<'_>) -> Result<HostConfig> {
    let limits = &container.limits;
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let ulimits = container.options.ulimits.iter().map(|limit| ResourcesUlimits {
        name: Some(limit.name.clone()),
        soft: Some(signed(limit.soft)),
        hard: Some(signed(limit.hard)),
    });
    let ulimits: Vec<_> = ulimits.collect();
    let keeps_ids = (facts.rights, facts.kind) == (Rights::Rootless, Kind::Podman);
    Ok(HostConfig {
        readonly_rootfs: Some(true),
        cap_drop: Some(vec!["ALL".into()]),
        security_opt: Some(vec!["no-new-privileges".into()]),
        network_mode: Some(match &container.network {
            Network::None => "none".into(),
            Network::Named(name) => name.clone(),
        }),
        memory: limits.memory.map(signed),
        // As much as without: what is in memory must not spill over.
        memory_swap: limits.memory.map(signed),
        pids_limit: limits.processes.map(i64::from),
        nano_cpus: limits.cpu.map(|thousandths| i64::from(thousandths) * 1_000_000),
        ulimits: (!ulimits.is_empty()).then_some(ulimits),
        tmpfs: Some(in_memory(limits, container.seat)),
        mounts: Some(mounts(container, made.place)?),
        userns_mode: keeps_ids.then(|| "keep-id".into()),
        ipc_mode: Some("private".into()),
        runtime: container.options.runtime.clone(),
        // It is made anew by whoever needs it, under the next numbers of processes.
        restart_policy: Some(RestartPolicy {
            name: Some(RestartPolicyNameEnum::NO),
            maximum_retry_count: None,
        }),
        init: Some(false),
        ..HostConfig::default()
    })
}

/// Directories in memory, private to the container.
pub(super) fn in_memory(limits: &Limits, seat: Seat) -> HashMap<String, String> {
    let of = |size: u64, mode: &str| format!("rw,nosuid,nodev,size={size},mode={mode}");
    let mut all = HashMap::from([
        ("/tmp".to_owned(), of(limits.scratch, "1777")),
        ("/var/tmp".to_owned(), of(limits.scratch, "1777")),
        ("/run".to_owned(), of(1 << 20, "0755")),
        // As large as what is kept, and a little for its own bookkeeping.
        (SPOOL.to_owned(), of(limits.spool() + (1 << 20), "1777")),
    ]);
    match seat {
        Seat::Workspace => drop(all.insert(HOME.to_owned(), of(limits.scratch, "1777"))),
        // The home directory is the workspace.
        Seat::Home => {}
    }
    all
}

fn mounts(container: &Container, place: &Place) -> Result<Vec<Mount>> {
    let read_only = container.policy.access == Access::ReadOnly;
    let workspace = match &container.files {
        Files::Directory(path) => bind(path, container.seat.workspace(), read_only)?,
        Files::Volume(name) => Mount {
            typ: Some(MountType::VOLUME),
            source: Some(name.clone()),
            target: Some(container.seat.workspace().into()),
            read_only: Some(read_only),
            ..Mount::default()
        },
    };
    let mut mounts = vec![
        workspace,
        bind(&place.meeting(), MEETING, false)?,
        bind(&container.guest, GUEST, true)?,
    ];
    for file in identity::files(container) {
        mounts.push(bind(&place.part(file), &format!("/etc/{file}"), true)?);
    }
    Ok(mounts)
}

fn bind(from: &Path, to: &str, read_only: bool) -> Result<Mount> {
    let source = from.to_str().ok_or_else(|| {
        refuse::unavailable(
            "a directory's path is not UTF-8, and the engine's interface knows no other",
            "Move the workspace to a path that is plain text.",
        )
    })?;
    Ok(Mount {
        typ: Some(MountType::BIND),
        source: Some(source.to_owned()),
        target: Some(to.to_owned()),
        read_only: Some(read_only),
        ..Mount::default()
    })
}
