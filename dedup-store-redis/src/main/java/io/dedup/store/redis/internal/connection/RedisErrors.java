package io.dedup.store.redis.internal.connection;

import io.dedup.DedupStoreException;
import io.dedup.text.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Creates exceptions that say what failed, where, and which setting to change. */
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
                        + "; it may have been applied. If the server is overloaded, raise commandTimeout",
                null);
    }

    public DedupStoreException interrupted(String operation, InterruptedException cause) {
        return new DedupStoreException(
                message(operation, "the thread was interrupted") + "; it may have been applied", cause);
    }

    public DedupStoreException notTried(String operation) {
        return new DedupStoreException(
                message(operation, "not sent, because an earlier part of the batch failed"), null);
    }

    public DedupStoreException unconfirmed(String operation, int wanted, String confirmed, @Nullable Exception cause) {
        return new DedupStoreException(
                message(operation, confirmed + " of " + wanted + " required replicas confirmed it")
                        + "; it may have been applied. Check the replicas, or lower waitForReplicas",
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
                ? "; TLS: " + tls
                        + ". Check the trust store, the key store and the host names in the server's certificate"
                : cause instanceof RedisConnectionException || isDisconnected(cause)
                        ? ". Check that the server is running and that uri points to it"
                        : "";
        return new DedupStoreException(message(operation, String.valueOf(cause.getMessage())) + hint, cause);
    }

    /** Whether a call got no answer because its connection broke, or wasn't sent because there was none. */
    public static boolean isBrokenConnection(DedupStoreException failure) {
        return failure.getCause() instanceof RedisException cause && !(cause instanceof RedisCommandExecutionException);
    }

    /** For an error that the server answered for one key of several. */
    public DedupStoreException refused(String operation, String error) {
        return new DedupStoreException(refusal(operation, error), null);
    }

    /** The message of the innermost exception if TLS has failed; null otherwise. */
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
        return message(operation, "the server answered \"" + error + "\"") + hint(error);
    }

    /** Whether the server denies a command or a key to the store's user; servers word it otherwise within a script. */
    public static boolean isNotPermitted(String error) {
        return error.startsWith("NOPERM")
                || error.contains("ACL failure in script")
                || error.contains("The user executing the script");
    }

    /** Whether the server does not know a command under that name. */
    public static boolean isUnknownCommand(String error) {
        return error.contains("unknown command") || error.contains("Unknown Redis command");
    }

    private static String hint(String error) {
        if (error.startsWith("OOM")) {
            return ". Raise the server's maxmemory, or shorten windows. Completing and releasing claims still works";
        } else if (error.contains("READONLY")) { // older servers put a script's name before it
            return ". The server is a replica: set uri to the master or to the sentinels. The store reconnects";
        } else if (error.startsWith("NOAUTH") || error.startsWith("WRONGPASS")) {
            return ". Check the user and password in uri";
        } else if (isNotPermitted(error)) {
            return ". Grant the user in uri GET, SET, MGET, DEL, PTTL, PEXPIRE, TIME, INFO, EVAL and EVALSHA on the keys"
                    + " of the namespace; in a cluster also CLUSTER NODES and CLUSTER INFO; for waitForReplicas WAIT, for"
                    + " findStuck SCAN and GETRANGE, for erase SCAN, for forgetAll SCAN and UNLINK, for packed"
                    + " HGET, HSET, HDEL, HLEN, HSCAN, PERSIST and OBJECT";
        } else if (isUnknownCommand(error)) {
            return ". The server does not have that command, or rename-command in its configuration gives it another"
                    + " name: give it back its name. The store needs GET, SET, MGET, DEL, PTTL, PEXPIRE, TIME, EVAL and"
                    + " EVALSHA, also in scripts";
        } else if (error.startsWith("CROSSSLOT") || error.startsWith("MOVED")) {
            return ". The server is a node of a cluster: use clusterUri";
        } else if (error.startsWith("TRYAGAIN")) {
            return ". A slot of the cluster is being moved; packed records in it are available again afterwards";
        } else if (error.startsWith("CLUSTERDOWN")) {
            return ". The cluster has no reachable master for some slots";
        } else if (error.contains("invalid bulk length")) {
            return ". A value is larger than the server's proto-max-bulk-len: raise it, or lower maxResultBytes";
        } else if (error.startsWith("BUSY")) {
            return ". A script is running on the server. If it is one of this store, lower maxBatch";
        }
        return "";
    }

    private String message(String operation, String problem) {
        return "Redis " + where + ": " + operation + " failed: " + problem;
    }
}
