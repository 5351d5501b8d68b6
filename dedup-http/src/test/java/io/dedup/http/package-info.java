@org.jspecify.annotations.NullMarked
package io.dedup.http;
