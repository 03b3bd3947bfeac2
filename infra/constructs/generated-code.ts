import { fileURLToPath } from 'node:url';
import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, DockerImageCode, DockerImageFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../config.ts';
import { IMAGE_CONTEXT_EXCLUDES } from './image-context.ts';
import { prebuiltImage } from './prebuilt-image.ts';

export interface GeneratedCodeProps {
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
  readonly deployment: DeploymentConfig;
  readonly logRetention: RetentionDays;
}

/** Seconds: a whole validation battery, whose own deadlines add up to about a minute. */
const TIMEOUT_SECONDS = 110;

/**
 * Validates model-written programs (phase 3) where they can reach nothing: no route, no security group rule, no right of its own. What
 * Lambda's service needs to attach the function to the network is denied to the function's own code.
 */
export class GeneratedCodeFunction extends Construct {
  readonly fn: DockerImageFunction;

  constructor(scope: Construct, id: string, props: GeneratedCodeProps) {
    super(scope, id);
    const name = `spade-${props.deployment.stage}-generated-code`;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.fn = new DockerImageFunction(this, 'Function', {
      functionName: name,
      description: 'Phase 3: runs model-written programs to judge them; may do nothing',
      code: this.code(props.deployment),
      architecture: Architecture.X86_64,
      role: this.role(name, logGroup),
      vpc: props.vpc,
      vpcSubnets: { subnets: props.vpc.isolatedSubnets },
      securityGroups: [props.securityGroup],
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      // One vCPU, and memory for the fork server and a program of the largest allowed size.
      memorySize: 1769,
      logGroup,
      // Lambda refuses nested system-call filters: the walls are the micro-VM, the empty role, the network without a way out.
      environment: { SPADE_SANDBOX: 'best-effort' },
    });
  }

  private role(functionName: string, logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Runs model-written code: its own log, nothing else',
    });
    logGroup.grantWrite(role);
    const attach = [
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ];
    role.addToPolicy(new PolicyStatement({ actions: attach, resources: ['*'] }));
    // Calls of Lambda's service carry no source function; calls of the code inside do.
    const functionArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['*'],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
      }),
    );
    return role;
  }

  private code({ images }: DeploymentConfig): DockerImageCode {
    if (images.mode === 'build') {
      return DockerImageCode.fromImageAsset(fileURLToPath(new URL('../..', import.meta.url)), {
        file: 'functions/generated-code/Dockerfile',
        platform: Platform.LINUX_AMD64,
        exclude: IMAGE_CONTEXT_EXCLUDES,
      });
    }
    const { repository, tagOrDigest } = prebuiltImage(this, images.generatedCode);
    return DockerImageCode.fromEcr(repository, { tagOrDigest });
  }
}
