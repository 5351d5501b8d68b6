package io.dedup.testservers.sql;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A node of a {@link GaleraCluster}: the embedded MariaDB with Galera's library. Thread-safe. */
final class GaleraNode extends LocalServer {

    private final Path library;
    private final Path scripts;
    private final List<String> peers;
    private final int groupPort = Ports.free();
    private final int transferPort = Ports.free();

    /**
     * A node that isn't started yet.
     *
     * @param peers the group addresses of the nodes that run; none for the first node, which founds the cluster
     */
    GaleraNode(Path library, Path scripts, List<String> peers) {
        super("galera", Ports.free());
        this.library = library;
        this.scripts = scripts;
        this.peers = List.copyOf(peers);
        if (peers.isEmpty()) {
            MariaDbBinary.copyNewData(data());
        } else {
            FileTrees.createDirectory(data()); // filled by the state transfer
        }
        FileTrees.createDirectory(directory().resolve("tmp"));
    }

    private Path data() {
        return directory().resolve("data");
    }

    String groupAddress() {
        return host() + ":" + groupPort;
    }

    SqlAddress address() {
        return new SqlAddress("jdbc:mariadb://" + host() + ":" + port() + "/", "", "", "root", "");
    }

    @Override
    protected ServerProcess launch() {
        List<String> command = new ArrayList<>(List.of("env", "PATH=" + scripts + ":" + System.getenv("PATH")));
        command.addAll(MariaDbBinary.command(data()));
        command.addAll(List.of(
                "--bind-address=" + host(),
                "--port=" + port(),
                "--socket=" + directory().resolve("s"),
                "--tmpdir=" + directory().resolve("tmp"),
                "--skip-ssl", // making a certificate takes seconds
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=64M",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-autoinc-lock-mode=2",
                "--binlog-format=ROW",
                "--wsrep-on=ON",
                "--wsrep-provider=" + library,
                "--wsrep-cluster-name=dedup",
                "--wsrep-cluster-address=gcomm://" + String.join(",", peers),
                "--wsrep-node-address=" + groupAddress(),
                "--wsrep-sst-method=" + GaleraCluster.TRANSFER,
                "--wsrep-provider-options=gcache.size=16M;pc.recovery=false;base_host=" + host() + ";base_port="
                        + groupPort + ";gmcast.listen_addr=tcp://" + groupAddress() + ";ist.recv_addr=" + host() + ":"
                        + transferPort));
        ServerProcess process = launch(command, OrphanSignal.KILL);
        process.awaitReady(() ->
                process.hasLogged("Synchronized with group") && process.hasLogged("ready for connections.\nVersion"));
        return process;
    }
}
