package io.dedup.testservers.sql;

import io.dedup.testservers.install.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Three MariaDB nodes that all take writes. Debian's package {@code galera-4} has the library that connects them; the servers are
 * the embedded ones. Not thread-safe.
 */
public final class GaleraCluster implements AutoCloseable {

    /** The name of the state transfer, and of its script: {@code wsrep_sst_copy}. */
    static final String TRANSFER = "copy";

    private static final int NODES = 3;

    /**
     * Brings a new node's files. The scripts of the distribution need rsync and more. As they do, it has the donor flush its tables,
     * copies its files, and reports their position; both run on this machine.
     */
    private static final String SCRIPT = """
            #!/bin/sh
            here=$(dirname "$0")
            while [ $# -gt 0 ]; do
              case "$1" in
                --role) role=$2 ;;
                --address) address=$2 ;;
                --datadir) data=$2 ;;
                --gtid) position=$2 ;;
              esac
              shift
            done
            if [ "$role" = donor ]; then
              rm -rf "$here/copy"
              mkdir "$here/copy"
              echo "flush tables"
              while [ ! -f "$data/tables_flushed" ]; do sleep 0.05; done
              for file in "$data"/*; do
                case "$(basename "$file")" in
                  galera.cache|grastate.dat|gvwstate.dat|tables_flushed|ib_buffer_pool|*.pid) ;;
                  *) cp -R "$file" "$here/copy" ;;
                esac
              done
              cp "$data/tables_flushed" "$here/position.new"
              mv "$here/position.new" "$here/position"
              echo "continue"
              echo "done $position"
            else
              rm -f "$here/position"
              echo "ready $address"
              while [ ! -f "$here/position" ]; do sleep 0.05; done
              cp -R "$here/copy"/. "$data"
              cat "$here/position"
            fi
            """;

    private final Path scripts;
    private final List<GaleraNode> nodes = new ArrayList<>();

    private GaleraCluster(Path scripts) {
        this.scripts = scripts;
    }

    /**
     * Galera's library, by {@code -Ddedup.test.galera=/path/to/libgalera_smm.so}, or installed. Empty where there is none: then report
     * the test as skipped.
     */
    public static Optional<Path> installed() {
        return InstalledProgram.find(
                "galera",
                List.of(
                        Path.of("/usr/lib/galera/libgalera_smm.so"),
                        Path.of("/usr/lib64/galera-4/libgalera_smm.so"),
                        Path.of("/usr/lib64/galera/libgalera_smm.so")));
    }

    /**
     * Starts the nodes, one after the other, and waits until each has joined.
     *
     * @param library from {@link #installed}
     */
    public static GaleraCluster start(Path library) {
        GaleraCluster cluster = new GaleraCluster(writeScript());
        try {
            for (int i = 0; i < NODES; i++) {
                GaleraNode node = new GaleraNode(
                        library,
                        cluster.scripts,
                        cluster.nodes.stream().map(GaleraNode::groupAddress).toList());
                cluster.nodes.add(node);
                node.start();
            }
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private static Path writeScript() {
        try {
            Path directory = Files.createTempDirectory("dedup-galera-");
            Path script = FileTrees.write(directory.resolve("wsrep_sst_" + TRANSFER), SCRIPT);
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The nodes, each with the right to create databases. */
    public List<SqlAddress> addresses() {
        return nodes.stream().map(GaleraNode::address).toList();
    }

    @Override
    public void close() {
        nodes.forEach(GaleraNode::close);
        FileTrees.delete(scripts);
    }
}
