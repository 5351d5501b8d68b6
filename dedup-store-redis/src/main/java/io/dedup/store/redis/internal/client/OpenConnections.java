package io.dedup.store.redis.internal.client;

import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a store must close: its connections, and the client if the store created it. */
public final class OpenConnections {
    private final @Nullable Runnable ownClient;
    private final List<StatefulConnection<?, ?>> connections = new ArrayList<>();

    private OpenConnections(@Nullable Runnable ownClient) {
        this.ownClient = ownClient;
    }

    public static OpenConnections ownClient(Runnable shutDown) {
        return new OpenConnections(shutDown);
    }

    static OpenConnections connectionsOnly() {
        return new OpenConnections(null);
    }

    <C extends StatefulConnection<?, ?>> C add(C connection) {
        connections.add(connection);
        return connection;
    }

    /** Closes after a failure. What fails here as a result is added to that failure as suppressed. */
    public void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException | LinkageError e) {
            failure.addSuppressed(e);
        }
    }

    public void close() {
        connections.forEach(StatefulConnection::close);
        if (ownClient != null) {
            ownClient.run();
        }
    }
}
