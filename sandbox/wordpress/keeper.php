<?php
// Keeps one site's server: php keeper.php RUN_FOLDER ROUTER PORT (0 for any that is free)
// Prints the port once the server listens. When standard input ends (the owner said stop, or died), it ends every
// server process, removes the folder and leaves; so nothing outlives the owner, however that one went.
list( , $run, $router, $wanted ) = $argv;

$settings = array(
	'opcache.enable=1',
	'opcache.enable_cli=1',
	'opcache.memory_consumption=128',
	'opcache.max_accelerated_files=10000',
	'upload_max_filesize=32M',
	'post_max_size=40M',
	'memory_limit=256M',
	'error_reporting=0',
	'display_errors=0',
);
$command  = array( PHP_BINARY );
foreach ( $settings as $setting ) {
	array_push( $command, '-d', $setting );
}
array_push( $command, '-S', "127.0.0.1:$wanted", '-t', "$run/site", $router );

$null   = array( 'file', '/dev/null', 'r' );
$server = proc_open( $command, array( $null, array( 'file', '/dev/null', 'w' ), array( 'pipe', 'w' ) ), $pipes );
$log    = $pipes[2];
$pids   = array( proc_get_status( $server )['pid'] => true );
$port   = null;
$last   = '';

/** Takes one line of the server's log: the port and the workers' ids stand in the first ones. */
function heed( $line ) {
	global $pids, $port, $run, $last;
	if ( ! preg_match( '#^(?:\[(\d+)\] )?\[.*\(http://127\.0\.0\.1:(\d+)\) started#', $line, $found ) ) {
		if ( preg_match( '#Fatal|Failed|Warning#', $line ) ) {
			$last = trim( $line );
		}
		return;
	}
	if ( '' !== $found[1] ) {
		$pids[ (int) $found[1] ] = true;
	}
	if ( null === $port ) {
		$port = $found[2];
		echo "$port\n";
	}
}

/** Removes a folder with all it holds. */
function remove( $path ) {
	if ( is_dir( $path ) && ! is_link( $path ) ) {
		foreach ( array_diff( scandir( $path ), array( '.', '..' ) ) as $name ) {
			remove( "$path/$name" );
		}
		@rmdir( $path );
	} else {
		@unlink( $path );
	}
}

while ( true ) {
	$ready = array( STDIN, $log );
	$none  = null;
	if ( false === stream_select( $ready, $none, $none, null ) ) {
		continue;
	}
	if ( in_array( $log, $ready, true ) ) {
		$line = fgets( $log );
		if ( false === $line && feof( $log ) ) {
			echo null === $port ? "the server ended: $last\n" : '';
			break;
		}
		heed( (string) $line );
	}
	if ( in_array( STDIN, $ready, true ) && '' === (string) fread( STDIN, 64 ) && feof( STDIN ) ) {
		break;
	}
}

// Workers told to end close the log; its end means that all are gone.
stream_set_blocking( $log, false );
for ( $round = 0; ! feof( $log ); $round++ ) {
	while ( false !== ( $line = fgets( $log ) ) ) {
		heed( $line );
	}
	foreach ( array_keys( $pids ) as $pid ) {
		posix_kill( $pid, $round < 100 ? 15 : 9 );
	}
	usleep( 5000 );
	if ( $round > 400 ) {
		break;
	}
}
proc_close( $server );
remove( $run );
