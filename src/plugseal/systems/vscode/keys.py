"""Settings of VS Code and of its common extensions, by what they do. Data alone.

An extension may bring any setting. What names a program here was found in the documentation of the extension; a text
under a key that no line names leaves the file unread.
"""

from __future__ import annotations

from typing import Final

_EDITOR: Final = """
quiet: $schema editor.** workbench.** window.** search.** explorer.** breadcrumbs.** outline.** diffEditor.**
quiet: zenMode.**
quiet: notebook.** scm.** problems.** timeline.** accessibility.** emmet.** markdown.** html.** css.** scss.** less.**
quiet: javascript.** npm.** testing.** merge-conflict.** mergeEditor.** comments.** output.** references.**
quiet: audioCues.**
quiet: files.** extensions.** update.** telemetry.** typescript.** debug.** launch.** tasks.** screencastMode.**
quiet: jupyter.** interactiveWindow.** json.** yaml.** xml.** toml.** evenBetterToml.** redhat.telemetry.** vim.**
quiet: git.** gitlens.** github.** githubPullRequests.** cSpell.** todo-tree.** better-comments.** errorLens.**
quiet: markdownlint.** peacock.** material-icon-theme.** tailwindCSS.** volar.** vue.** svelte.** astro.** biome.**
quiet: liveServer.** liveshare.** sonarlint.** codeium.** tabnine.** dart.** swift.** cmake.** C_Cpp.** clangd.**
quiet: remote.** dev.containers.** docker.** terraform.** kubernetes.** vs-kubernetes.** aws.** azure.** chat.**
quiet: inlineChat.** accessibility.voice.** prettier.** eslint.** stylelint.** rust-analyzer.** go.** gopls.** java.**
quiet: python.** pylint.** flake8.** mypy-type-checker.** mypy.** black-formatter.** isort.** autopep8.** ruff.** r.**
quiet: ruby.** rubyLsp.** php.** intelephense.** lua.** Lua.** haskell.** elixirLS.** metals.** csharp.** dotnet.**
quiet: omnisharp.** powershell.** nix.** zig.** deno.** terminal.** task.** security.** http.** settingsSync.**
quiet: i18n-ally.**
quiet: typescript.tsserver.** solidity.** prisma.** graphql.** graphql-config.** makefile.** conventionalCommits.**
quiet: angular.**
"""
_PROGRAMS: Final = """
program: typescript.tsdk js/ts.tsdk.path typescript.npm git.path npm.packageManager npm.scriptExplorerAction
program: eslint.nodePath eslint.runtime eslint.execArgv prettier.prettierPath prettier.configPath
program: stylelint.stylelintPath
program: biome.lsp.bin biome.lspBin python.defaultInterpreterPath python.pythonPath python.condaPath python.pipenvPath
program: python.poetryPath python.venvPath python.venvFolders python.linting.* python.formatting.* python.testing.*
program: python.testing.pytestPath python.testing.unittestArgs python.testing.pytestArgs python.analysis.extraPaths
program: python.autoComplete.extraPaths pylint.path pylint.interpreter pylint.args flake8.path flake8.interpreter
program: flake8.args mypy-type-checker.path mypy-type-checker.interpreter mypy-type-checker.args mypy.dmypyExecutable
program: mypy.runUsingActiveInterpreter black-formatter.path black-formatter.interpreter black-formatter.args
program: isort.path
program: isort.interpreter isort.args autopep8.path autopep8.interpreter autopep8.args ruff.path ruff.interpreter
program: rust-analyzer.server.path rust-analyzer.check.overrideCommand rust-analyzer.rustfmt.overrideCommand
program: rust-analyzer.cargo.buildScripts.overrideCommand rust-analyzer.procMacro.server
program: rust-analyzer.runnables.command
program: rust-analyzer.checkOnSave.overrideCommand rust-analyzer.workspace.discoverConfig.**
program: go.alternateTools go.goroot go.gopath go.toolsGopath go.formatTool go.lintTool go.testFlags go.buildFlags
program: java.jdt.ls.java.home java.home java.configuration.maven.userSettings java.import.gradle.home
program: clangd.path clangd.arguments C_Cpp.default.compilerPath C_Cpp.clang_format_path C_Cpp.clang_tidy_path
program: cmake.cmakePath cmake.ctestPath cmake.preferredGenerators makefile.makePath php.validate.executablePath
program: php.executablePath intelephense.runtime ruby.interpreter.commandPath rubyLsp.bundleGemfile Lua.runtime.path
program: lua.runtime.plugin Lua.runtime.plugin haskell.serverExecutablePath haskell.ghcupExecutablePath
program: metals.javaHome
program: omnisharp.path dotnet.server.path dotnetAcquisitionExtension.existingDotnetPath powershell.powerShellExePath
program: powershell.powerShellAdditionalExePaths nix.serverPath nix.formatterPath zig.path zig.zls.path deno.path
program: terraform.languageServer.path docker.dockerPath docker.environment dev.containers.dockerPath
program: dev.containers.dockerComposePath terminal.integrated.profiles.*.* terminal.integrated.automationProfile.*
program: terminal.integrated.shell.* terminal.integrated.shellArgs.* terminal.integrated.automationShell.*
program: terminal.external.linuxExec terminal.external.osxExec terminal.external.windowsExec swift.path
program: swift.sourcekit-lsp.serverPath
program: dart.flutterSdkPath dart.sdkPath elixirLS.languageServerOverridePath r.rterm.* r.rpath.*
program: solidity.compileUsingLocalVersion
program: remote.SSH.path remote.SSH.configFile aws.profile.path kubernetes.kubectl-path vs-kubernetes.**
environment: terminal.integrated.env.* python.envVars go.toolsEnvVars rust-analyzer.server.extraEnv
environment: rust-analyzer.cargo.extraEnv rust-analyzer.check.extraEnv rust-analyzer.runnables.extraEnv
environment: cmake.environment
environment: cmake.configureEnvironment cmake.buildEnvironment
path: python.envFile python.analysis.stubPath java.configuration.runtimes git.scanRepositories json.schemas
path: yaml.schemas
path: chat.instructionsFilesLocations chat.promptFilesLocations chat.modeFilesLocations chat.agentFilesLocations
path: chat.hookFilesLocations chat.agentSkillsLocations chat.plugins.** chat.pluginLocations yaml.customTags
path: eslint.options eslint.workingDirectories files.associations
"""
_TRUST: Final = """
grant: chat.tools.autoApprove chat.tools.global.autoApprove chat.tools.terminal.autoApprove.**=true
grant: chat.tools.terminal.autoApprove chat.tools.edits.autoApprove.**=true chat.tools.urls.autoApprove
grant: chat.tools.eligibleForAutoApproval chat.agent.autoApprove chat.mcp.autostart=always,newAndOutdated
grant: chat.mcp.serverSampling chat.mcp.discovery.enabled task.allowAutomaticTasks=on
grant: security.workspace.trust.untrustedFiles=open security.workspace.trust.startupPrompt=never
grant: security.allowedUNCHosts github.copilot.chat.agent.autoApprove remote.SSH.defaultForwardedPorts
grant: chat.tools.terminal.ignoreDefaultAutoApproveRules chat.tools.terminal.enableAutoApprove=always
grant: claudeCode.allowDangerouslySkipPermissions claudeCode.initialPermissionMode=bypassPermissions,acceptEdits
deny: security.workspace.trust.enabled security.workspace.trust.banner http.proxyStrictSSL security.restrictUNCAccess
grant: chat.tools.terminal.blockDetectedFileWrites=never chat.tools.terminal.autoReplyToPrompts
grant: chat.permissions.default=autoApprove,autopilot chat.useCustomAgentHooks
grant: chat.agent.sandbox.enabled=on,allowNetwork chat.agent.sandbox.FileSystem.*.allowWrite
grant: chat.agent.sandbox.FileSystem.*.allowRead chat.agent.allowedNetworkDomains
grant: github.copilot.chat.additionalReadAccessFolders chat.useCustomizationsInParentRepositories
grant: github.copilot.chat.claudeAgent.allowDangerouslySkipPermissions github.copilot.chat.otel.captureContent
grant: enabledPlugins.**
path: extraKnownMarketplaces.** github.copilot.chat.otel.outfile
endpoint: github.copilot.chat.otel.otlpEndpoint
endpoint: http.proxy github-enterprise.uri github.copilot.advanced.debug.overrideProxyUrl
endpoint: github.copilot.advanced.debug.overrideCapiUrl github.copilot.advanced.debug.overrideChatEngine
endpoint: go.toolsManagement.goProxy chat.mcp.gallery.serviceUrl python.analysis.remoteUrl liveServer.settings.host
prose: github.copilot.chat.codeGeneration.instructions github.copilot.chat.testGeneration.instructions
prose: github.copilot.chat.commitMessageGeneration.instructions github.copilot.chat.reviewSelection.instructions
prose: github.copilot.chat.pullRequestDescriptionGeneration.instructions
environment: claudeCode.environmentVariables
program: claudeCode.claudeProcessWrapper
"""
SETTINGS: Final = _EDITOR + _PROGRAMS + _TRUST
"""As `client_settings.parse_roles` reads it: a longer key wins over a family."""
