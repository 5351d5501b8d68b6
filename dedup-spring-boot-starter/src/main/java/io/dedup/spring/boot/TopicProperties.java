package io.dedup.spring.boot;

import org.jspecify.annotations.Nullable;

/** An entry of {@code dedup.topics}. Not thread-safe. */
public class TopicProperties extends PolicyProperties {
    /** The topic's name, where the entry's own name isn't it: names with dots, or for an environment variable. */
    private @Nullable String topic;

    /** A regular expression instead of a name: the entry is for all topics that it matches as a whole. */
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
