package io.dedup.store.redis.internal.connection;

import io.dedup.DedupStoreException;
import io.dedup.text.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says what failed, where, and which setting to change. */
public final class RedisErrors {
    private final String where;
    private final Duration commandTimeout;

    /** @param where hosts and ports, never credentials */
    public RedisErrors(String where, Duration commandTimeout) {
        this.where = where;
        this.commandTimeout = commandTimeout;
    }

    public String where() {
        return where;
    }

    DedupStoreException timedOut(String operation) {
        return new DedupStoreException(
                message(operation, "no answer within " + commandTimeout.toMillis() + " ms")
                        + "; it may have been applied. If the server is only busy, raise commandTimeout",
                null);
    }

    public DedupStoreException interrupted(String operation, InterruptedException cause) {
        return new DedupStoreException(
                message(operation, "the thread was interrupted") + "; it may have been applied", cause);
    }

    public DedupStoreException notTried(String operation) {
        return new DedupStoreException(
                message(operation, "not tried, because a part of the batch before it failed"), null);
    }

    public DedupStoreException unconfirmed(String operation, int wanted, String confirmed, @Nullable Exception cause) {
        return new DedupStoreException(
                message(operation, confirmed + " of the " + wanted + " wanted replicas confirmed it")
                        + "; it may have been applied. Look at the replicas, or change waitForReplicas",
                cause);
    }

    public DedupStoreException problem(String operation, String problem) {
        return new DedupStoreException(message(operation, problem), null);
    }

    public DedupStoreException failed(String operation, Throwable cause) {
        if (cause instanceof DedupStoreException ours) {
            return ours;
        }
        if (cause instanceof RedisCommandExecutionException) {
            return new DedupStoreException(refusal(operation, String.valueOf(cause.getMessage())), cause);
        }
        String tls = tlsProblem(cause);
        String hint = tls != null
                ? "; TLS: " + tls + ". Look at the trust and key material, and at the names in the server's certificate"
                : cause instanceof RedisConnectionException || isDisconnected(cause)
                        ? "; is the server up, and does uri lead to it?"
                        : "";
        return new DedupStoreException(message(operation, String.valueOf(cause.getMessage())) + hint, cause);
    }

    /** For an error that the server answered for one key of several. */
    public DedupStoreException refused(String operation, String error) {
        return new DedupStoreException(refusal(operation, error), null);
    }

    /** What the innermost exception says where TLS has failed; null where something else has. */
    private static @Nullable String tlsProblem(Throwable cause) {
        List<Throwable> causes = Causes.of(cause);
        return causes.stream().anyMatch(SSLException.class::isInstance)
                ? String.valueOf(causes.get(causes.size() - 1).getMessage())
                : null;
    }

    private static boolean isDisconnected(Throwable cause) {
        String message = cause.getMessage();
        return message != null && (message.contains("not connected") || message.contains("disconnected"));
    }

    private String refusal(String operation, String error) {
        return message(operation, "the server says \"" + error + "\"") + hint(error);
    }

    private static String hint(String error) {
        if (error.startsWith("OOM")) {
            return "; raise the server's maxmemory, or shorten windows. Completes and releases still work";
        } else if (error.contains("READONLY")) { // older servers put a script's name before it
            return "; uri leads to a replica: name the master, or the sentinels. The connection is made anew";
        } else if (error.startsWith("NOAUTH") || error.startsWith("WRONGPASS")) {
            return "; set user and password in uri";
        } else if (error.startsWith("NOPERM")) {
            return "; the user in uri needs GET, SET, MGET, DEL, PTTL, PEXPIRE, TIME, INFO, EVAL and EVALSHA on the keys"
                    + " of the namespace; in a cluster CLUSTER NODES; waitForReplicas needs WAIT, findStuck SCAN and"
                    + " GETRANGE, forgetAll SCAN and UNLINK, in a cluster CLUSTER INFO, too";
        } else if (error.startsWith("CROSSSLOT") || error.startsWith("MOVED")) {
            return "; the server is one of a cluster: name it by clusterUri";
        } else if (error.startsWith("CLUSTERDOWN")) {
            return "; the cluster has no master for some slots, or can't reach it";
        } else if (error.contains("invalid bulk length")) {
            return "; a value is larger than the server's proto-max-bulk-len: raise that, or lower maxResultBytes";
        } else if (error.startsWith("BUSY")) {
            return "; somebody's script is running on the server. If it is this store's, lower maxBatch";
        }
        return "";
    }

    private String message(String operation, String problem) {
        return "Redis " + where + ": " + operation + " failed: " + problem;
    }
}
