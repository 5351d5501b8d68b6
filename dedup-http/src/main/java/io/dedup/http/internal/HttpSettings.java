package io.dedup.http.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all paths have in common.
 *
 * @param header of the request, which has the key
 * @param documentation a page for clients; null if there is none
 * @param headersNotReplayed of responses, besides {@link ResponseHeaders}' own
 */
public record HttpSettings(String header, @Nullable String documentation, List<String> headersNotReplayed) {}
