package io.dedup.benchmarks.redis;

import io.dedup.testservers.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads from the server which commands a client really sent. */
final class Monitor {
    private final RedisServer server;

    Monitor(RedisServer server) {
        this.server = server;
    }

    /** The commands that arrived while the work was done, those that scripts gave left out; each as its words. */
    List<List<byte[]>> capture(Runnable work) {
        String end = "end-" + UUID.randomUUID();
        try (Socket socket = new Socket(server.host(), server.port());
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            String ok = lines.readLine();
            if (!"+OK".equals(ok)) {
                throw new IllegalStateException("MONITOR is answered with " + ok);
            }
            work.run();
            String ignored = server.command("ECHO", end);
            List<List<byte[]>> commands = new ArrayList<>();
            for (String line = lines.readLine(); line != null && !line.contains(end); line = lines.readLine()) {
                MonitorLine parsed = MonitorLine.parse(line);
                if (!parsed.byScript()) {
                    commands.add(parsed.words());
                }
            }
            return commands;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
