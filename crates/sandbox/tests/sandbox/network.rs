//! Networks: its own loopback, and a proxy's socket where there is one.

use std::{
    io::{Read, Write},
    os::unix::net::UnixListener,
    thread,
};

use crate::yard::yards;

#[test]
fn a_server_inside_is_reached_from_inside() {
    for yard in yards() {
        let said = yard.inside(
            r#"perl -MSocket -e '
                socket(S, PF_INET, SOCK_STREAM, 0) or die; bind(S, sockaddr_in(3000, INADDR_LOOPBACK)) or die;
                listen(S, 1) or die; if (!fork) { accept(C, S); print C "from inside\n"; exit } waitpid(-1, 0)' &
               until exec 3<>/dev/tcp/127.0.0.1/3000; do sleep 0.05; done 2>/dev/null; cat <&3"#,
        );
        assert_eq!(said.out, "from inside\n", "{said:?}");
    }
}

#[test]
fn this_machine_s_loopback_is_not_reached() {
    for yard in yards() {
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{} && echo connected", yard.port());
        assert_eq!(yard.inside(&connect).out, "");
        assert_eq!(yard.outside(&connect).out, "connected\n");
    }
}

#[test]
fn there_is_no_interface_but_loopback_and_no_route() {
    for yard in yards() {
        let said =
            yard.inside("tail -n +3 /proc/net/dev | cut -d: -f1; tail -n +2 /proc/net/route");
        assert_eq!(said.out.trim(), "lo", "{said:?}");
    }
}

#[test]
fn a_socket_of_this_machine_is_reached_only_where_it_was_given() {
    for yard in yards() {
        let path = yard.dir.path().join("open/socket");
        let listener = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666))
            .unwrap();
        let path = path.display().to_string();
        let connect = |place: &str| {
            format!(
                r#"perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die "socket"; connect(S, sockaddr_un("{place}")) or die "connect"; S->autoflush(1); print S "hello\n"; print scalar <S>'"#
            )
        };
        let answering = thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut word = [0; 6];
            peer.read_exact(&mut word).unwrap();
            peer.write_all(b"from outside\n").unwrap();
            word
        });
        let said = yard.inside(&connect(&path));
        assert_eq!(said.out, "", "{said:?}");
        let said = yard.inside_with(&["--proxy", &path], &connect("/run/garth/proxy"));
        assert_eq!(said.out, "from outside\n", "{said:?}");
        assert_eq!(&answering.join().unwrap(), b"hello\n");
    }
}
