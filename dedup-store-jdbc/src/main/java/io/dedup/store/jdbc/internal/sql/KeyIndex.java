package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the request that a returned row belongs to. Not thread-safe. */
public final class KeyIndex {
    private static final int NONE = -1;

    private final List<DedupKey> keys;
    private final Map<String, Integer> firstWithId = new HashMap<>();
    private final int[] nextWithId;

    public KeyIndex(List<DedupKey> keys) {
        this.keys = keys;
        this.nextWithId = new int[keys.size()];
        Arrays.fill(nextWithId, NONE);
        for (int i = 0; i < keys.size(); i++) {
            Integer other = firstWithId.put(keys.get(i).messageId(), i);
            nextWithId[i] = other == null ? NONE : other;
        }
    }

    /**
     * The position of the key whose message ID and scope are in two adjacent columns of the row. Reads the scope only
     * if the same message ID was requested in several scopes.
     */
    public int position(ResultSet row, int column) throws SQLException {
        Integer first = firstWithId.get(KeyBytes.text(row.getBytes(column)));
        int position = first == null ? NONE : first;
        if (position != NONE && nextWithId[position] != NONE) {
            String scope = KeyBytes.text(row.getBytes(column + 1));
            while (position != NONE && !keys.get(position).scope().text().equals(scope)) {
                position = nextWithId[position];
            }
        }
        if (position == NONE) {
            throw new SQLException("the database returned a key that was not requested");
        }
        return position;
    }

    public DedupKey key(ResultSet row, int column) throws SQLException {
        return keys.get(position(row, column));
    }
}
