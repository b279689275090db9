//! Second layer: whose rights the program has, and who owns what it writes.
//!
//! Inside it is always user 1000, and no other id exists. An ordinary user stands
//! behind that id with his own. Root lends it an id that nobody has, and the workspace's
//! mount turns that id into the owner of the workspace's directory; so an escape would
//! arrive as nobody, and what is written belongs to whom it should. Where a file
//! system cannot turn ids, the owner's own id is lent, unless that is root's.

mod turn;

use std::{
    fs,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    io::write,
    process::{DumpableBehavior, Gid, Uid, getegid, geteuid, set_dumpable_behavior},
    rand::{GetRandomFlags, getrandom},
    thread::{
        CapabilitySet, LinkNameSpaceType, UnshareFlags, capabilities, move_into_link_name_space,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};

use crate::{
    Layer, Needs, Refusal, Root,
    act::{Act, During, Failed},
    clone_unsafe::Memory,
    program_unsafe,
    superuser::Superuser,
};
pub(crate) use turn::{Turned, turn};

/// The user and group that the program is inside.
pub(crate) const INSIDE: u32 = 1000;

/// The first of the ids that are lent: no distribution gives these to anybody.
const LENT: u32 = 0x7000_0000;

/// How many there are; one is drawn for each sandbox, so that two of them do not
/// share what the kernel counts by user.
const LENT_COUNT: u32 = 1 << 24;

/// Whose rights the program has.
#[derive(Debug)]
pub(crate) enum Ids {
    /// Those of an ordinary user, who can lend no other.
    Own(Lent),
    /// Those of an id that root lends.
    Runner(Lent),
}

/// One user and one group of this machine, and the maps that lead to them.
#[derive(Debug)]
pub(crate) struct Lent {
    /// The user.
    pub(crate) uid: u32,
    /// The group.
    pub(crate) gid: u32,
    /// Our /proc, where the new process is to be found too.
    pub(crate) proc: OwnedFd,
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
}

impl Lent {
    /// One user and one group, who are `inside` to whoever enters.
    pub(crate) fn new(inside: (u32, u32), (uid, gid): (u32, u32)) -> Result<Self, Refusal> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = openat(CWD, c"/proc", flags, Mode::empty()).during(Act::OldProc)?;
        let line = |inside, outside| format!("{inside} {outside} 1\n").into_bytes();
        Ok(Self { uid, gid, uid_map: line(inside.0, uid), gid_map: line(inside.1, gid), proc })
    }

    /// In a user namespace other than the first, root's number is not root.
    fn is_root(&self) -> bool {
        self.uid == 0 && owns_every_id("/proc/self/uid_map")
    }

    /// Becomes that user, in a user namespace that knows no other.
    pub(crate) fn enter(&self) -> Result<(), Failed> {
        self.take()?;
        program_unsafe::unshare(UnshareFlags::NEWUSER).during(Act::UserNamespace)?;
        self.map()
    }

    /// The same in a user namespace that was made ahead.
    fn join(&self, namespace: &OwnedFd) -> Result<(), Failed> {
        self.take()?;
        let kind = Some(LinkNameSpaceType::User);
        move_into_link_name_space(namespace.as_fd(), kind).during(Act::UserNamespace)
    }

    /// Becomes that user.
    fn take(&self) -> Result<(), Failed> {
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        set_thread_groups(&[]).during(Act::DropGroups)?;
        set_thread_res_gid(gid, gid, gid).during(Act::BecomeGroup)?;
        set_thread_res_uid(uid, uid, uid).during(Act::BecomeUser)?;
        // The change took its own entries of /proc away from it.
        set_dumpable_behavior(DumpableBehavior::Dumpable).during(Act::Dumpable)
    }

    /// Says to the new user namespace which id outside is the one inside.
    pub(crate) fn map(&self) -> Result<(), Failed> {
        let put = |name, text: &[u8], act| {
            let file = openat(&self.proc, name, OFlags::WRONLY, Mode::empty()).during(act)?;
            write(file, text).during(act).map(drop)
        };
        put(c"self/setgroups", b"deny", Act::DenyGroups)?;
        put(c"self/uid_map", &self.uid_map, Act::UidMap)?;
        put(c"self/gid_map", &self.gid_map, Act::GidMap)
    }
}

impl Ids {
    /// Those of this machine that stand behind the one inside.
    pub(crate) fn lent(&self) -> &Lent {
        match self {
            Self::Own(lent) | Self::Runner(lent) => lent,
        }
    }

    /// Whether the rights are those of the kernel's root, for want of any better.
    pub(crate) fn is_root(&self) -> bool {
        self.lent().is_root()
    }

    /// What must be done before anything else.
    pub(crate) fn first(
        &self,
        memory: Memory,
        superuser: Option<&Superuser>,
    ) -> Result<(), Failed> {
        let map = |lent: &Lent| {
            lent.map()?;
            superuser.map_or(Ok(()), Superuser::make)
        };
        match (self, memory) {
            (Self::Runner(_), _) => Ok(()),
            (Self::Own(lent), Memory::Shared) => map(lent),
            (Self::Own(lent), Memory::Copied) => {
                // A copy of what is not to be read is not to be read either, but for the
                // moment in which it must own its entries of /proc.
                set_dumpable_behavior(DumpableBehavior::Dumpable).during(Act::Dumpable)?;
                let mapped = map(lent);
                set_dumpable_behavior(DumpableBehavior::NotDumpable).during(Act::Dumpable)?;
                mapped
            }
        }
    }

    /// What is done when nothing is left that needs root.
    pub(crate) fn last(&self, superuser: Option<&Superuser>) -> Result<(), Failed> {
        match (self, superuser.and_then(Superuser::own)) {
            (Self::Own(_), _) => Ok(()),
            (Self::Runner(lent), Some(made)) => lent.join(made),
            (Self::Runner(lent), None) => lent.enter(),
        }
    }
}

/// Chooses the ids, and turns the ids of the roots where root can.
///
/// The second value has one entry for each root where they are turned.
///
/// *Errors*: `Ids` where what is written would belong to root or to nobody.
pub(crate) fn prepare(
    roots: &[Root],
    needs: Needs,
) -> Result<(Ids, Option<Vec<OwnedFd>>), Refusal> {
    let inside = (INSIDE, INSIDE);
    if !can_lend() {
        let own = Lent::new(inside, (geteuid().as_raw(), getegid().as_raw()))?;
        if own.is_root() && needs.includes(Layer::Ids) {
            return Err(Refusal::of(Act::Owner, "root without its capabilities can lend no id"));
        }
        return Ok((Ids::Own(own), None));
    }
    let lent = draw()?;
    match turn(roots, lent)? {
        Turned::All(trees) => Ok((Ids::Runner(Lent::new(inside, (lent, lent))?), Some(trees))),
        Turned::Impossible { owner: Some(owner) }
            if owner.0 != 0 || !needs.includes(Layer::Ids) =>
        {
            Ok((Ids::Runner(Lent::new(inside, owner)?), None))
        }
        Turned::Impossible { owner: Some(_) } => {
            Err(Refusal::of(Act::Owner, "its file system cannot map ids, and its owner is root"))
        }
        Turned::Impossible { owner: None } => Err(Refusal::of(
            Act::Owner,
            "its file system cannot map ids, and its directories have several owners",
        )),
    }
}

/// Whether this process is root to the kernel, and can lend ids that nobody has.
pub(crate) fn can_lend() -> bool {
    let needed = CapabilitySet::SYS_ADMIN
        | CapabilitySet::SETUID
        | CapabilitySet::SETGID
        | CapabilitySet::CHOWN
        | CapabilitySet::MKNOD
        | CapabilitySet::NET_ADMIN;
    let held = capabilities(None).is_ok_and(|sets| sets.effective.contains(needed));
    held && owns_every_id("/proc/self/uid_map") && owns_every_id("/proc/self/gid_map")
}

/// Whether a map is that of the first user namespace; in any other, no device can
/// be made and few file systems turn ids.
fn owns_every_id(map: &str) -> bool {
    let Ok(text) = fs::read_to_string(map) else { return false };
    text.split_ascii_whitespace().eq(["0", "0", "4294967295"])
}

fn draw() -> Result<u32, Refusal> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty()).during(Act::Owner)?;
    Ok(LENT + u32::from_ne_bytes(bytes) % LENT_COUNT)
}
