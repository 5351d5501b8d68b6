/** The samples of docs/getting-started.md and docs/testing-your-listeners.md, and what they leave to the application. */
@NullMarked
package io.dedup.spring.boot.docs;

import org.jspecify.annotations.NullMarked;
