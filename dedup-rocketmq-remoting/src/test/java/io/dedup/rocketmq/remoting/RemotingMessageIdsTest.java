package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RemotingMessageIdsTest {
    private final MessageClientExt message = new MessageClientExt();

    @Test
    @DisplayName("a property")
    void property() {
        message.putUserProperty("order", "7");
        assertThat(RemotingMessageIds.property("order").extract(message)).isEqualTo("7");
        assertThat(RemotingMessageIds.property("other").extract(message)).isNull();
        assertThatThrownBy(() -> RemotingMessageIds.property(" ")).hasMessageContaining("blank");
    }

    @Test
    @DisplayName("R7 the only key")
    void key() {
        assertThat(RemotingMessageIds.key().extract(message)).isNull();
        message.setKeys("a");
        assertThat(RemotingMessageIds.key().extract(message)).isEqualTo("a");
        message.setKeys("a b");
        assertThatThrownBy(() -> RemotingMessageIds.key().extract(message)).hasMessageContaining("2 keys");
    }

    @Test
    @DisplayName("R7 the only key with a prefix")
    void keyStartingWith() {
        assertThat(RemotingMessageIds.keyStartingWith("o-").extract(message)).isNull();
        message.setKeys("x o-1 o-1 y");
        assertThat(RemotingMessageIds.keyStartingWith("o-").extract(message)).isEqualTo("o-1");
        message.setKeys("o-1 o-2");
        assertThatThrownBy(() -> RemotingMessageIds.keyStartingWith("o-").extract(message))
                .hasMessageContaining("several keys");
        assertThatThrownBy(() -> RemotingMessageIds.keyStartingWith("")).hasMessageContaining("prefix");
        assertThatThrownBy(() -> RemotingMessageIds.keyStartingWith("o ")).hasMessageContaining("space");
    }

    @Test
    @DisplayName("R7 the client's ID, and never the broker's, which changes with a retry")
    void messageId() {
        message.setOffsetMsgId("7F00000100002A9F0000000000000000");
        assertThat(RemotingMessageIds.messageId().extract(message)).isNull();
        MessageClientIDSetter.setUniqID(message);
        assertThat(RemotingMessageIds.messageId().extract(message)).isEqualTo(message.getMsgId());
    }

    @Test
    @DisplayName("a place in JSON")
    void json() {
        assertThat(RemotingMessageIds.json("/id").extract(message)).isNull();
        message.setBody("{\"id\": 7}".getBytes(StandardCharsets.UTF_8));
        assertThat(RemotingMessageIds.json("/id").extract(message)).isEqualTo("7");
    }
}
