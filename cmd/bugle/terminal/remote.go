package terminal

import (
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine/service/offline"
	"bugle/ui/screen"
)

// remoteDeps returns the dependencies of the screens for a remote. Edits are stored in files on this machine until they
// are applied, and so are dismissed warnings.
func remoteDeps(f *cli.Factory, deps screen.Deps, p remotes.Remote, s *offline.Service) screen.Deps {
	deps.Service, deps.Workspace, deps.Author = s, p.Workspace+" @ "+p.Name, f.Author(p.Author)
	files := f.FilesOf(p)
	deps.LocalCopies, deps.LocalDismissals = files, files
	return deps
}
