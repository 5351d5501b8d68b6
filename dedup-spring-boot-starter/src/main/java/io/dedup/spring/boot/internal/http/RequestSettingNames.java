package io.dedup.spring.boot.internal.http;

import io.dedup.policy.OnConflict;
import io.dedup.policy.SettingNames;
import io.dedup.spring.boot.internal.text.YamlNames;

/**
 * Names settings of a path, and speaks of clients and requests where a topic has producers and messages.
 *
 * @param path the property, such as {@code dedup.http.paths."[/payments]"}
 */
record RequestSettingNames(String path) implements SettingNames {
    private YamlNames yaml() {
        return new YamlNames(path);
    }

    @Override
    public String name(String setting) {
        return yaml().name(setting);
    }

    @Override
    public String path(String setting) {
        return yaml().path(setting);
    }

    @Override
    public String value(Object value) {
        return yaml().value(value);
    }

    @Override
    public String text(String message) {
        return yaml().text(message);
    }

    @Override
    public String conflict(OnConflict applied) {
        return "a client used the key of one request for another request, whose method, path, query or body differs. The"
                + " client was answered with status 422. " + path + ".fingerprint: false switches the comparison off";
    }
}
