package io.dedup.spring.boot.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Speaks TLS for a server that doesn't. Thread-safe. */
final class TlsProxy implements AutoCloseable {
    static final String PASSWORD = "changeit";

    private final String host;
    private final int port;
    private final SSLServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "tls-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicInteger handshakes = new AtomicInteger();

    private TlsProxy(String host, int port, SSLServerSocket listening) {
        this.host = host;
        this.port = port;
        this.listening = listening;
    }

    /** In front of a server, with the certificate of a key store; asks for none of the client's. */
    static TlsProxy before(String host, int port, Path keyStore) {
        return start(host, port, keyStore, null);
    }

    /** The same, and refuses clients whose certificate isn't in a trust store. */
    static TlsProxy before(String host, int port, Path keyStore, Path clients) {
        return start(host, port, keyStore, clients);
    }

    private static TlsProxy start(String host, int port, Path keyStore, @Nullable Path clients) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(load(keyStore), PASSWORD.toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(clients == null ? null : load(clients));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            SSLServerSocket listening = (SSLServerSocket)
                    context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("localhost"));
            listening.setNeedClientAuth(clients != null);
            TlsProxy proxy = new TlsProxy(host, port, listening);
            proxy.threads.execute(proxy::accept);
            return proxy;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no TLS with " + keyStore, e);
        }
    }

    private static KeyStore load(Path file) throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    }

    /** Makes a key pair with a certificate that it has signed itself, for a name such as {@code dns:localhost}. */
    static Path keyStore(Path directory, String alias, String name) {
        Path file = directory.resolve(alias + ".p12");
        List<String> keytool = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + alias,
                "-ext",
                "SAN=" + name,
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD);
        try {
            Process process =
                    new ProcessBuilder(keytool).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool: " + output);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("keytool", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Makes a trust store with the certificate of a key store. */
    static Path trusting(Path keyStore, String alias) {
        Path file = keyStore.resolveSibling("trusts-" + alias + ".p12");
        try (var out = Files.newOutputStream(file)) {
            KeyStore trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            trust.setCertificateEntry(alias, load(keyStore).getCertificate(alias));
            trust.store(out, PASSWORD.toCharArray());
            return file;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no trust store", e);
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    /** How many connections have come to speak TLS. */
    int handshakes() {
        return handshakes.get();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                SSLSocket client = (SSLSocket) listening.accept();
                open.add(client);
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void serve(SSLSocket client) {
        try (client;
                Socket server = new Socket(host, port)) {
            open.add(server);
            client.startHandshake();
            handshakes.incrementAndGet();
            threads.execute(() -> pump(server, client));
            client.getInputStream().transferTo(server.getOutputStream());
        } catch (IOException e) {
            // One of the two has hung up, or they don't agree about TLS.
        } finally {
            open.remove(client);
        }
    }

    private static void pump(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // hung up
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
        threads.shutdownNow();
    }
}
