package io.dedup.store.jdbc.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Changes statements on their way to a real server, so that it plays another one. */
public final class Rewriting extends DelegatingDataSource {
    private final UnaryOperator<String> change;

    public Rewriting(DataSource real, UnaryOperator<String> change) {
        super(real);
        this.change = change;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return proxy(Connection.class, super.getConnection());
    }

    private <A> A proxy(Class<A> type, A real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
                        arguments[0] = change.apply(sql);
                    }
                    try {
                        Object answer = method.invoke(real, arguments);
                        return method.getName().equals("createStatement")
                                ? proxy(Statement.class, (Statement) answer)
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
