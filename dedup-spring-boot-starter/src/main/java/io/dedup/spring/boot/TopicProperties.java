package io.dedup.spring.boot;

import org.jspecify.annotations.Nullable;

/** An entry of {@code dedup.topics}. Not thread-safe. */
public class TopicProperties extends PolicyProperties {
    /** The topic's name, if the entry has another name: for names with dots, or in environment variables. */
    private @Nullable String topic;

    /** A regular expression instead of a name: the entry applies to all topics whose whole name matches. */
    private @Nullable String pattern;

    public @Nullable String getTopic() {
        return topic;
    }

    public void setTopic(@Nullable String topic) {
        this.topic = topic;
    }

    public @Nullable String getPattern() {
        return pattern;
    }

    public void setPattern(@Nullable String pattern) {
        this.pattern = pattern;
    }
}
