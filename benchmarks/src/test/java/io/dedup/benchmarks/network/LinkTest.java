package io.dedup.benchmarks.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LinkTest {
    private static final Duration ROUND_TRIP = Duration.ofMillis(40);

    @Test
    void aRoundTripTakesItsTimeAndPipelinedRequestsTakeItTogether() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Link link = Link.to(server.getLocalPort(), ROUND_TRIP);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), link.port())) {
            Thread echo = new Thread(() -> echo(server));
            echo.start();
            DataInputStream in = new DataInputStream(client.getInputStream());
            assertThat(millisOf(client, in, 1)).isGreaterThanOrEqualTo(ROUND_TRIP.toMillis());
            assertThat(millisOf(client, in, 50)).isBetween(ROUND_TRIP.toMillis(), 50 * ROUND_TRIP.toMillis() / 2);
            client.shutdownOutput();
            assertThat(in.read()).isEqualTo(-1); // the end passes through as well
            echo.join();
        }
    }

    private static long millisOf(Socket client, DataInputStream in, int requests) throws IOException {
        long from = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            client.getOutputStream().write(new byte[] {(byte) i});
        }
        for (int i = 0; i < requests; i++) {
            assertThat(in.readByte()).isEqualTo((byte) i);
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
    }

    private static void echo(ServerSocket server) {
        try (Socket socket = server.accept()) {
            long unused = socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
