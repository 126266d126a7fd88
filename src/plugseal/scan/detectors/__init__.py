"""What a table of names can't say: one small function for each question, named by rules as `detector = "…"`.

To add one: a function in a module here, one line in the table of its kind, and a rule that names it. A detector looks
at what was read already; it never reads a file.
"""

from __future__ import annotations

from plugseal.scan.detectors import (
    combined,
    credentials,
    destinations,
    endpoints,
    env_files,
    environment,
    facts,
    files,
    flow,
    git,
    grants,
    hidden,
    identities,
    manifests,
    packages,
    places,
    process_memory,
    prose,
    reflective,
    registries,
    scripts,
    text_secrets,
    views,
    workflows,
)
from plugseal.scan.detectors.detector import BytesDetector, CodeDetector, ManifestDetector, TreeDetector

CODE_DETECTORS: dict[str, CodeDetector] = {
    "acts-on-import": facts.ACTS_ON_IMPORT,
    "agent-options": combined.AGENT_OPTIONS,
    "autostart": facts.AUTOSTART,
    "browser-store": flow.BROWSER_STORE,
    "built-name": facts.BUILT_NAME,
    "client-settings": facts.CLIENT_SETTINGS,
    "dropped-run": combined.DROPPED_RUN,
    "decoded-run": combined.DECODED_RUN,
    "drop-site": destinations.DROP_SITE,
    "drop-site-told": destinations.DROP_SITE_TOLD,
    "environment-in-request": combined.ENVIRONMENT_IN_REQUEST,
    "environment-near-network": flow.ENVIRONMENT_NEAR_NETWORK,
    "environment-sent": flow.ENVIRONMENT_SENT,
    "fetched-run": combined.FETCHED_RUN,
    "hidden-command": scripts.HIDDEN_COMMAND,
    "hidden-target": reflective.HIDDEN_TARGET,
    "history-deleted": places.HISTORY_DELETED,
    "home-deleted": facts.HOME_DELETED,
    "loading-variables": facts.LOADING_VARIABLES,
    "memory-reads": process_memory.MEMORY_READS,
    "metadata-request": destinations.METADATA_REQUEST,
    "packed-code": facts.PACKED_CODE,
    "personal-files": combined.PERSONAL_FILES,
    "piped-line": prose.PIPED_LINE,
    "remote-import": facts.REMOTE_IMPORT,
    "remote-lines": scripts.REMOTE_LINES,
    "reverse-shell": flow.REVERSE_SHELL,
    "scheduled": facts.SCHEDULED,
    "secret-in-name": combined.SECRET_IN_NAME,
    "secret-then-send": flow.SECRET_THEN_SEND,
    "set-id": places.SET_ID,
    "shell-on-connection": combined.SHELL_ON_CONNECTION,
    "socket-shell": scripts.SOCKET_SHELL,
    "string-secrets": credentials.STRING_SECRETS,
    "system-file": places.SYSTEM_FILE,
    "unchecked-certificates": places.UNCHECKED_CERTIFICATES,
    "workflow-written": places.WORKFLOW_WRITTEN,
}
"""Over the facts of one source file."""

MANIFEST_DETECTORS: dict[str, ManifestDetector] = {
    "cleartext": endpoints.look_for_cleartext,
    "code-in-environment": environment.look_for_code_in_environment,
    "colliding-names": identities.look_for_colliding_names,
    "confusable-names": identities.look_for_confusable_names,
    "drop-endpoints": destinations.look_for_drop_endpoints,
    "encoded-commands": manifests.look_for_encoded_commands,
    "faults": manifests.look_for_faults,
    "git-hooks": git.look_for_git_hooks,
    "git-programs": git.look_for_git_programs,
    "hidden-metadata": hidden.look_for_hidden_metadata,
    "hooks-on-everything": manifests.look_for_hooks_on_everything,
    "limited-templates": workflows.look_for_limited_templates,
    "login": endpoints.look_for_login,
    "manifest-secrets": credentials.look_for_manifest_secrets,
    "metadata-service": endpoints.look_for_metadata_service,
    "mistyped-packages": packages.look_for_mistyped,
    "module-paths": environment.look_for_module_paths,
    "outside-paths": manifests.look_for_outside_paths,
    "piped-download": packages.look_for_piped_download,
    "self-approving-settings": grants.look_for_self_approving_settings,
    "self-approval": manifests.look_for_self_approval,
    "other-registries": registries.look_for_other_registries,
    "redirected-endpoints": grants.look_for_redirected_endpoints,
    "shadowed-programs": grants.look_for_shadowed_programs,
    "source-commands": grants.look_for_source_commands,
    "unbound-sources": grants.look_for_unbound_sources,
    "unrestricted-shell": grants.look_for_unrestricted_shell,
    "wide-grants": grants.look_for_wide_grants,
    "wide-roots": grants.look_for_wide_roots,
    "templates": workflows.look_for_templates,
    "unpinned": packages.look_for_unpinned,
    "untrusted-checkout": workflows.look_for_untrusted_checkout,
    "views": views.look_for_other_views,
    "wrapper-environment": environment.look_for_wrapper_environment,
}
"""Over one plugin as its system describes it."""

TREE_DETECTORS: dict[str, TreeDetector] = {
    "cached-byte-code": files.look_for_cached_byte_code,
    "hidden-names": files.look_for_hidden_names,
    "name-collisions": files.look_for_name_collisions,
    "orphan-byte-code": files.look_for_orphan_byte_code,
    "outward-links": files.look_for_outward_links,
}
"""Over the entries of a tree."""

BYTES_DETECTORS: dict[str, BytesDetector] = {
    "disguised-code": files.look_for_disguised_code,
    "environment-secrets": env_files.look_for_environment_secrets,
    "colliding-names": identities.look_for_colliding_tools,
    "confusable-names": identities.look_for_confusable_tools,
    "hidden-metadata": identities.look_for_hidden_tools,
    "hidden-text": hidden.look_for_hidden_text,
    "native-code": files.look_for_native_code,
    "stray-invisible": hidden.look_for_stray_invisible,
    "text-secrets": text_secrets.look_for_text_secrets,
}
"""Over the bytes of one file. A detector may stand here and among those of manifests: its rule then looks at both."""
