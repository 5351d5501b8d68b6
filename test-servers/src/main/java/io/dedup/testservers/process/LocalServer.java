package io.dedup.testservers.process;

import io.dedup.testservers.install.FileTrees;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server in a separate process on this machine, for tests that stop, kill, pause and restart it. It keeps
 * its port and its files until {@link #close()}. Thread-safe; methods return when their work is done, and throw
 * {@link IllegalStateException} with the end of the server's log if they fail.
 */
public abstract class LocalServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalServer.class);

    private final String name;
    private final int port;
    private final Path directory;
    private @Nullable ServerProcess process;

    protected LocalServer(String name, int port) {
        this.name = name;
        this.port = port;
        this.directory = Workspace.get().newDirectory(name);
    }

    /** Starts one run of the server, and waits until it answers. */
    protected abstract ServerProcess launch();

    /** The signal for an orderly end. */
    protected String endSignal() {
        return "TERM";
    }

    /** Always the loopback address. */
    public final String host() {
        return "127.0.0.1";
    }

    public final int port() {
        return port;
    }

    /** Starts the server again after {@link #stop()} or {@link #kill()}, on the same port and the same files. */
    public final synchronized void start() {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException(name + " is running");
        }
        long begin = System.nanoTime();
        process = launch();
        log.info("{} on port {} ready after {} ms", name, port, (System.nanoTime() - begin) / 1_000_000);
    }

    /** Ends the server in an orderly way. */
    public final synchronized void stop() {
        running().end(endSignal());
    }

    /** Ends the server by SIGKILL, and its child processes as well. */
    public final synchronized void kill() {
        running().kill();
    }

    /** {@link #stop()} and {@link #start()}. */
    public final synchronized void restart() {
        stop();
        start();
    }

    /** Stops the server's processes by SIGSTOP: connections stay open, and no answer comes. */
    public final synchronized void pause() {
        running().pause();
    }

    /** Continues the server after {@link #pause()}. */
    public final synchronized void resume() {
        running().resume();
    }

    public final synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Process ID of the running server. */
    public final synchronized long pid() {
        return running().pid();
    }

    /** Kills the server and removes its files. */
    @Override
    public final synchronized void close() {
        Optional.ofNullable(process).filter(ServerProcess::isAlive).ifPresent(this::discard);
        FileTrees.delete(directory);
    }

    protected void discard(ServerProcess running) {
        running.kill();
    }

    protected final String name() {
        return name;
    }

    protected final Path directory() {
        return directory;
    }

    protected final ServerProcess launch(List<String> command, OrphanSignal end) {
        return ServerProcess.start(name, command, directory, directory.resolve("server.log"), end);
    }

    private ServerProcess running() {
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException(name + " isn't running");
        }
        return process;
    }
}
