//! The table: what is planted, and what fires it with plain git.

/// One way to make git run a program.
pub(super) struct Vector {
    pub(super) name: &'static str,
    /// The hook that is the program.
    pub(super) hook: Option<&'static str>,
    /// What is added to the repository's configuration.
    pub(super) config: &'static str,
    /// What its attributes are.
    pub(super) attributes: &'static str,
    /// What is done before.
    pub(super) prepare: &'static str,
    /// What makes plain git run it.
    pub(super) fire: &'static str,
}

const fn hook(name: &'static str, hook: &'static str, fire: &'static str) -> Vector {
    Vector { name, hook: Some(hook), config: "", attributes: "", prepare: "", fire }
}

const fn setting(
    name: &'static str,
    config: &'static str,
    attributes: &'static str,
    [prepare, fire]: [&'static str; 2],
) -> Vector {
    Vector { name, hook: None, config, attributes, prepare, fire }
}

/// Programs that git runs by their place.
pub(super) const HOOKS: &[Vector] = &[
    hook("hook pre-commit", "pre-commit", "git commit -qm x"),
    hook("hook prepare-commit-msg", "prepare-commit-msg", "git commit -qm x"),
    hook("hook commit-msg", "commit-msg", "git commit -qm x"),
    hook("hook post-commit", "post-commit", "git commit -qm x"),
    hook("hook post-checkout", "post-checkout", "git checkout -q -b y"),
    hook("hook post-index-change", "post-index-change", "git add b.txt"),
    hook("hook reference-transaction", "reference-transaction", "git branch y"),
    hook(
        "hook pre-merge-commit",
        "pre-merge-commit",
        "git stash -q; git merge -q --no-ff -m m other",
    ),
    hook("hook post-merge", "post-merge", "git stash -q; git merge -q --no-ff -m m other"),
    hook("hook pre-rebase", "pre-rebase", "git stash -q; git rebase -q other"),
    hook("hook post-rewrite", "post-rewrite", "git commit --amend -qm y"),
    hook(
        "hook pre-push",
        "pre-push",
        "git init -q --bare .git/bare; git push -q .git/bare HEAD:refs/heads/x",
    ),
    hook("hook pre-receive", "pre-receive", "git push -q . HEAD:refs/heads/x"),
    hook("hook update", "update", "git push -q . HEAD:refs/heads/x"),
    hook("hook post-receive", "post-receive", "git push -q . HEAD:refs/heads/x"),
    hook("hook post-update", "post-update", "git push -q . HEAD:refs/heads/x"),
    hook(
        "hook pre-auto-gc",
        "pre-auto-gc",
        "git repack -q; git commit -qm x; git repack -q; git -c gc.autoPackLimit=1 gc --auto",
    ),
    hook(
        "hook applypatch-msg",
        "applypatch-msg",
        "git format-patch -1 --stdout other > .git/p; git stash -q; git am -q .git/p",
    ),
    hook(
        "hook pre-applypatch",
        "pre-applypatch",
        "git format-patch -1 --stdout other > .git/p; git stash -q; git am -q .git/p",
    ),
    hook(
        "hook post-applypatch",
        "post-applypatch",
        "git format-patch -1 --stdout other > .git/p; git stash -q; git am -q .git/p",
    ),
    hook(
        "hook proc-receive",
        "proc-receive",
        "git config receive.procReceiveRefs refs/for; git push -q . HEAD:refs/for/x",
    ),
    hook(
        "hook push-to-checkout",
        "push-to-checkout",
        "git stash -q; git config receive.denyCurrentBranch updateInstead; git commit -q --allow-empty -m n; n=$(git rev-parse HEAD); git reset -q --hard HEAD~1; git push -q . $n:refs/heads/main",
    ),
];

/// Programs that a setting names.
pub(super) const SETTINGS: &[Vector] = &[
    setting("core.fsmonitor", "[core] fsmonitor = ./.git/evil", "", ["", "git status"]),
    setting(
        "core.hooksPath",
        "[core] hooksPath = .git/evilhooks",
        "",
        ["mkdir .git/evilhooks; cp .git/evil .git/evilhooks/pre-commit", "git commit -qm x"],
    ),
    setting(
        "core.pager",
        "[core] pager = ./.git/evil",
        "",
        ["", "script -qec 'git log' /dev/null"],
    ),
    setting("pager.log", "[pager] log = ./.git/evil", "", ["", "script -qec 'git log' /dev/null"]),
    setting("core.editor", "[core] editor = ./.git/evil", "", ["", "git commit -q"]),
    setting(
        "sequence.editor",
        "[sequence] editor = ./.git/evil",
        "",
        ["", "git stash -q; git rebase -i HEAD~1"],
    ),
    setting(
        "core.sshCommand",
        r#"[core] sshCommand = ./.git/evil
[remote "origin"] url = ssh://localhost/x"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "ssh.variant",
        r#"[ssh] variant = ssh
[core] sshCommand = ./.git/evil -x
[remote "origin"] url = localhost:x"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "core.gitProxy",
        r#"[core] gitProxy = ./.git/evil
[remote "origin"] url = git://localhost/x"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "core.askPass",
        "[core] askPass = ./.git/evil",
        "",
        ["", r#"printf 'protocol=https\nhost=h\n\n' | git credential fill"#],
    ),
    setting(
        "credential.helper",
        "[credential] helper = !./.git/evil",
        "",
        ["", r#"printf 'protocol=https\nhost=h\n\n' | git credential fill"#],
    ),
    setting(
        "credential.url.helper",
        r#"[credential "https://h"] helper = !./.git/evil"#,
        "",
        ["", r#"printf 'protocol=https\nhost=h\n\n' | git credential fill"#],
    ),
    setting("diff.external", "[diff] external = ./.git/evil", "", ["", "git diff"]),
    setting(
        "diff.driver.command",
        r#"[diff "evil"] command = ./.git/evil"#,
        "*.txt diff=evil",
        ["", "git diff"],
    ),
    setting(
        "diff.driver.textconv",
        r#"[diff "evil"] textconv = ./.git/evil"#,
        "*.txt diff=evil",
        ["", "git diff"],
    ),
    setting(
        "filter.clean",
        r#"[filter "evil"] clean = ./.git/evil"#,
        "*.txt filter=evil",
        ["", "git add b.txt"],
    ),
    setting(
        "filter.smudge",
        r#"[filter "evil"] smudge = ./.git/evil"#,
        "*.txt filter=evil",
        ["", "git checkout -q -- b.txt"],
    ),
    setting(
        "filter.process",
        r#"[filter "evil"] process = ./.git/evil"#,
        "*.txt filter=evil",
        ["", "git add b.txt"],
    ),
    setting(
        "filter by .gitattributes",
        r#"[filter "evil"] clean = ./.git/evil"#,
        "",
        ["echo '*.txt filter=evil' > .gitattributes", "git add b.txt"],
    ),
    setting(
        "merge.driver",
        r#"[merge "evil"] driver = ./.git/evil"#,
        "*.txt merge=evil",
        ["", "git stash -q; git merge -q side"],
    ),
    setting(
        "mergetool.cmd",
        r#"[merge] tool = evil
[mergetool "evil"] cmd = ./.git/evil
[mergetool "evil"] trustExitCode = true"#,
        "",
        ["", "git stash -q; git merge -q side; git mergetool -y"],
    ),
    setting(
        "difftool.cmd",
        r#"[diff] tool = evil
[difftool "evil"] cmd = ./.git/evil"#,
        "",
        ["", "git difftool -y"],
    ),
    setting(
        "gpg.program",
        r#"[gpg] program = ./.git/evil
[commit] gpgSign = true"#,
        "",
        ["", "git commit -qm x"],
    ),
    setting(
        "gpg.ssh.program",
        r#"[gpg] format = ssh
[gpg "ssh"] program = ./.git/evil
[user] signingKey = .git/key
[commit] gpgSign = true"#,
        "",
        ["touch .git/key", "git commit -qm x"],
    ),
    setting(
        "gpg.x509.program",
        r#"[gpg] format = x509
[gpg "x509"] program = ./.git/evil
[commit] gpgSign = true"#,
        "",
        ["", "git commit -qm x"],
    ),
    setting(
        "gpg.ssh.defaultKeyCommand",
        r#"[gpg] format = ssh
[gpg "ssh"] defaultKeyCommand = ./.git/evil
[commit] gpgSign = true"#,
        "",
        ["", "git commit -qm x"],
    ),
    setting(
        "log.showSignature",
        r#"[gpg] program = ./.git/evil
[log] showSignature = true"#,
        "",
        [
            "git reset -q --soft $({ echo tree $(git rev-parse 'HEAD^{tree}'); echo parent $(git rev-parse HEAD); echo 'author x <x@y> 1 +0000'; echo 'committer x <x@y> 1 +0000'; echo 'gpgsig -----BEGIN PGP SIGNATURE-----'; echo ' '; echo ' abc'; echo ' -----END PGP SIGNATURE-----'; echo; echo signed; } | git hash-object -t commit -w --stdin)",
            "git log -1",
        ],
    ),
    setting(
        "tag.gpgSign",
        r#"[gpg] program = ./.git/evil
[tag] gpgSign = true"#,
        "",
        ["", "git tag -m x t"],
    ),
    setting("alias", "[alias] st = !./.git/evil", "", ["", "git st"]),
    setting(
        "trailer.command",
        r#"[trailer "x"] key = X
[trailer "x"] command = ./.git/evil"#,
        "",
        ["", "echo m | git interpret-trailers --trailer x=1"],
    ),
    setting(
        "trailer.cmd",
        r#"[trailer "x"] key = X
[trailer "x"] cmd = ./.git/evil"#,
        "",
        ["", "echo m | git interpret-trailers --trailer x=1"],
    ),
    setting(
        "remote.uploadpack",
        r#"[remote "origin"] url = .
[remote "origin"] uploadpack = ./.git/evil"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "remote.receivepack",
        r#"[remote "origin"] url = .
[remote "origin"] receivepack = ./.git/evil"#,
        "",
        ["", "git push origin HEAD:refs/heads/q"],
    ),
    setting(
        "remote.url ext::",
        r#"[protocol "ext"] allow = always
[remote "origin"] url = ext::./.git/evil"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "remote.pushurl ext::",
        r#"[protocol "ext"] allow = always
[remote "origin"] url = .
[remote "origin"] pushurl = ext::./.git/evil"#,
        "",
        ["", "git push origin HEAD:refs/heads/q"],
    ),
    setting(
        "remote.vcs",
        r#"[protocol "ext"] allow = always
[remote "origin"] vcs = ext
[remote "origin"] url = ./.git/evil"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "url.insteadOf",
        r#"[protocol "ext"] allow = always
[url "ext::./.git/evil "] insteadOf = https://h/
[remote "origin"] url = https://h/x"#,
        "",
        ["", "git fetch origin"],
    ),
    setting(
        "url.pushInsteadOf",
        r#"[protocol "ext"] allow = always
[url "ext::./.git/evil "] pushInsteadOf = https://h/
[remote "origin"] url = https://h/x"#,
        "",
        ["", "git push origin HEAD:refs/heads/q"],
    ),
    setting(
        "submodule.update",
        r#"[submodule "s"] active = true
[submodule "s"] url = ./
[submodule "s"] update = !../.git/evil"#,
        "",
        [
            r#"git clone -q . s; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s; printf '[submodule "s"]\n path = s\n url = ./\n' > .gitmodules"#,
            "git submodule update --force",
        ],
    ),
    setting(
        "a submodule's fsmonitor",
        "",
        "",
        [
            "git clone -q . s; git -C s config core.fsmonitor ../.git/evil; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s",
            "git status",
        ],
    ),
    setting(
        "a submodule's filter",
        "",
        "",
        [
            "git clone -q . s; git -C s config filter.evil.clean ../.git/evil; echo '*.txt filter=evil' > s/.git/info/attributes; echo x >> s/a.txt; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s",
            "git status",
        ],
    ),
    setting(
        "include.path",
        "[include] path = evil.inc",
        "",
        ["printf '[core] fsmonitor = ./.git/evil' > .git/evil.inc", "git status"],
    ),
    setting(
        "includeIf.gitdir",
        r#"[includeIf "gitdir:**"] path = evil.inc"#,
        "",
        ["printf '[core] fsmonitor = ./.git/evil' > .git/evil.inc", "git status"],
    ),
    setting(
        "includeIf.onbranch",
        r#"[includeIf "onbranch:main"] path = evil.inc"#,
        "",
        ["printf '[core] fsmonitor = ./.git/evil' > .git/evil.inc", "git status"],
    ),
    setting(
        "extensions.worktreeConfig",
        "[extensions] worktreeConfig = true",
        "",
        ["printf '[core] fsmonitor = ./.git/evil' > .git/config.worktree", "git status"],
    ),
    setting(
        "tar.command",
        r#"[tar "evil"] command = ./.git/evil"#,
        "",
        ["", "git archive --format=evil HEAD"],
    ),
    setting(
        "interactive.diffFilter",
        r#"[color] ui = always
[interactive] diffFilter = ./.git/evil"#,
        "",
        ["", r#"printf 'q\n' | git add -p"#],
    ),
    setting(
        "man.viewer",
        r#"[man] viewer = evil
[man "evil"] cmd = ./.git/evil"#,
        "",
        ["", "git help -m log"],
    ),
    setting(
        "core.alternateRefsCommand",
        "[core] alternateRefsCommand = ./.git/evil",
        "",
        [
            r#"git init -q --bare .git/alt; echo "$PWD/.git/alt/objects" > .git/objects/info/alternates"#,
            "git fetch -q . other",
        ],
    ),
];
