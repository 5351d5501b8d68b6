package io.dedup.testservers.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A shell that ends the servers and removes their files when this JVM has ended, however it ended: it reads commands from
 * its standard input, whose end is the JVM's end. Thread-safe.
 */
final class Reaper {

    // Signals from a terminal reach the whole process group: the shell has to outlive its JVM.
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM PIPE
            root=$1
            servers=
            while read -r order pid signal; do
              rest=
              for server in $servers; do
                [ "${server%:*}" = "$pid" ] || rest="$rest $server"
              done
              servers=$rest
              [ "$order" = add ] && servers="$servers $pid:$signal"
            done
            for server in $servers; do
              kill -CONT "${server%:*}" 2>/dev/null
              kill -"${server#*:}" "${server%:*}" 2>/dev/null
            done
            tries=0
            for server in $servers; do
              while kill -0 "${server%:*}" 2>/dev/null && [ $tries -lt 50 ]; do
                tries=$((tries + 1))
                sleep 0.1
              done
              kill -KILL "${server%:*}" 2>/dev/null
            done
            rm -rf -- "$root" || { sleep 1; rm -rf -- "$root"; }
            """;

    private final OutputStream orders;

    private Reaper(OutputStream orders) {
        this.orders = orders;
    }

    /** Starts the shell; {@code root} is the directory that it removes at the end. */
    static Reaper start(Path root) {
        try {
            Process shell = new ProcessBuilder(List.of("sh", "-c", SCRIPT, "reaper", root.toString()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Reaper(shell.getOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start sh, which ends the test servers", e);
        }
    }

    void add(long pid, OrphanSignal signal) {
        send("add " + pid + " " + signal);
    }

    /** Forgets a process that has ended, as its number may be given to another. */
    void drop(long pid) {
        send("drop " + pid + " -");
    }

    private void send(String order) {
        byte[] line = (order + "\n").getBytes(StandardCharsets.US_ASCII);
        synchronized (orders) {
            try {
                orders.write(line);
                orders.flush();
            } catch (IOException e) {
                throw new UncheckedIOException("the process that ends the test servers is gone", e);
            }
        }
    }
}
