package io.dedup.benchmarks.jdbc;

import static java.util.Objects.requireNonNull;

import io.dedup.benchmarks.subject.IdSlots;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what a store does with connections. For one thread at a time.
 *
 * <p>Timeouts of statements aren't written down: they take no round trip.
 */
final class StatementRecorder {
    private static final Pattern PREPARE = Pattern.compile("PREPARE (\\w+) FROM '");
    private static final Pattern EXECUTE = Pattern.compile("^EXECUTE (\\w+) USING ");

    private final List<List<SessionStep>> sessions = new ArrayList<>();
    /** What makes the server keep a statement, by the name that it has there. */
    private final Map<String, String> kept = new HashMap<>();

    private final DataSource pool;
    private IdSlots slots = new IdSlots(List.of());
    private Bindings bindings = new Bindings(slots);

    StatementRecorder(DataSource pool) {
        this.pool = pool;
    }

    /** The pool, watched. */
    DataSource watched() {
        return proxy(DataSource.class, pool, (method, args, answer) -> {
            if (!method.equals("getConnection")) {
                return answer;
            }
            List<SessionStep> steps = new ArrayList<>();
            sessions.add(steps);
            return connection((Connection) answer, steps);
        });
    }

    /**
     * Does the work and returns what it did with each connection that it took.
     *
     * @param ids the messages that the work is about
     */
    List<List<SessionStep>> record(List<String> ids, Runnable work) {
        sessions.clear();
        slots = new IdSlots(ids);
        bindings = new Bindings(slots);
        work.run();
        return sessions.stream()
                .filter(steps -> !steps.isEmpty())
                .map(List::copyOf)
                .toList();
    }

    private Connection connection(Connection real, List<SessionStep> steps) {
        return proxy(Connection.class, real, (method, args, answer) -> {
            switch (method) {
                case "prepareStatement" -> {
                    return statement((PreparedStatement) answer, (String) args[0], steps);
                }
                case "createStatement" -> {
                    return plain((Statement) answer, steps);
                }
                case "createArrayOf" -> bindings.created((java.sql.Array) answer, (String) args[0], (Object[]) args[1]);
                case "setAutoCommit" ->
                    steps.add((Boolean) args[0] ? SessionStep.Transaction.END : SessionStep.Transaction.BEGIN);
                case "commit" -> steps.add(SessionStep.Transaction.COMMIT);
                case "rollback" -> steps.add(SessionStep.Transaction.ROLLBACK);
                default -> {} // nothing that the server hears of
            }
            return answer;
        });
    }

    private PreparedStatement statement(PreparedStatement real, String sql, List<SessionStep> steps) {
        List<Binding> current = new ArrayList<>();
        List<List<Binding>> batch = new ArrayList<>();
        return proxy(PreparedStatement.class, real, (method, args, answer) -> {
            if (method.startsWith("execute")) {
                boolean isBatch = method.endsWith("Batch");
                steps.add(new SessionStep.Prepared(
                        sql, isBatch ? List.copyOf(batch) : List.of(List.copyOf(current)), isBatch));
                batch.clear();
                current.clear();
            } else if (method.equals("addBatch")) {
                batch.add(List.copyOf(current));
                current.clear();
            } else if (method.startsWith("set") && args.length > 1) {
                current.add(bindings.read(method, args));
            }
            return answer;
        });
    }

    /** Whatever is done once a session isn't noted: in the long run no message pays for it. */
    private Statement plain(Statement real, List<SessionStep> steps) {
        return proxy(Statement.class, real, (method, args, answer) -> {
            if (method.startsWith("execute")) {
                String sql = (String) args[0];
                Matcher prepare = PREPARE.matcher(sql);
                Matcher execute = EXECUTE.matcher(sql);
                if (prepare.find()) {
                    kept.put(prepare.group(1), sql);
                } else if (execute.find()) {
                    steps.add(new SessionStep.Kept(requireNonNull(kept.get(execute.group(1))), slots.findHex(sql)));
                } else if (!sql.startsWith("SELECT @@")) {
                    steps.add(new SessionStep.Plain(slots.findHex(sql)));
                }
            }
            return answer;
        });
    }

    private static <T> T proxy(Class<T> type, T real, Watcher watcher) {
        InvocationHandler handler = (proxy, method, args) -> {
            @Nullable Object[] given = args == null ? new Object[0] : args;
            return watcher.after(method.getName(), given, invoke(method, real, given));
        };
        return type.cast(
                Proxy.newProxyInstance(StatementRecorder.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Method method, Object real, Object[] args) throws Throwable {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Gets every call after it was made, and decides what the caller gets. */
    @FunctionalInterface
    private interface Watcher {
        Object after(String method, Object[] args, Object answer);
    }
}
